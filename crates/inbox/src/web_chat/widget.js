// The Frontdesk chat widget.
// <script src="https://HOST/widget.js" data-connection="ID" async></script>
// Optional: data-title, data-color; data-name, data-email introduce the visitor. What was said is only ever set as text.
(() => {
  'use strict';
  const { dataset = {}, src } = document.currentScript || {};
  const { connection, title = 'Chat with us', color, name, email } = dataset;
  if (!connection) return console.warn('Frontdesk: the script needs a data-connection attribute.');
  const open = (window.__frontdesk ||= new Set());
  if (open.has(connection)) return;
  open.add(connection);

  const base = new URL(`channels/web_chat/${encodeURIComponent(connection)}/`, src);
  const KEY = `frontdesk:${connection}`;
  const TEXT_CHARS_MAX = 4096, TRIES_MAX = 6, PAUSE_MS_MAX = 60000;
  const OFFLINE = 'You are offline. What you write is sent when you are back.';

  // What is remembered, also of what is still to be sent.
  const state = { token: null, read: '', queue: [] };
  try { Object.assign(state, JSON.parse(localStorage.getItem(KEY))); } catch { /* begin anew */ }
  const save = () => { try { localStorage.setItem(KEY, JSON.stringify(state)); } catch { /* this page only */ } };

  const el = (tag, attributes, ...children) => {
    const made = document.createElement(tag);
    for (const name in attributes) made.setAttribute(name, attributes[name]);
    made.append(...children);
    return made;
  };
  const css = `
:host{all:initial;--bg:#fff;--fg:#1c1f23;--dim:#5f6772;--line:#d9dde3;--them:#eef1f4}
@media(prefers-color-scheme:dark){:host{--bg:#1b1e23;--fg:#eceff3;--dim:#a2abb8;--line:#3a404a;--them:#2b3038}}
*{box-sizing:border-box;font:15px/1.45 system-ui,sans-serif}
[hidden]{display:none!important}
button{cursor:pointer;border:0}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.launch,.panel{position:fixed;right:16px;z-index:2147483000;box-shadow:0 4px 24px #0005}
.launch{bottom:16px;height:52px;padding:0 20px;border-radius:26px}
.launch,.send,header,.mine{background:var(--accent);color:var(--on)}
.badge{margin-left:8px;padding:2px 7px;border-radius:9px;background:#c62828;color:#fff}
.panel{bottom:80px;display:flex;flex-direction:column;width:min(370px,100vw - 32px);height:min(540px,100vh - 96px);
overflow:hidden;border:1px solid var(--line);border-radius:14px;background:var(--bg);color:var(--fg)}
header{display:flex;justify-content:space-between;align-items:center;padding:10px 10px 10px 16px}
h2{margin:0}
.close{width:36px;height:36px;font-size:20px}
.note{padding:6px 16px;border-bottom:1px solid var(--line)}
.note,.trouble{color:var(--dim)}
.log{flex:1;overflow-y:auto;padding:12px;display:flex;flex-direction:column;gap:8px}
.said{max-width:82%;padding:8px 12px;border-radius:12px;align-self:flex-start;white-space:pre-wrap;overflow-wrap:anywhere}
.said:not(.mine){background:var(--them)}
.mine,.trouble{align-self:flex-end}
.waiting{opacity:.65}
.trouble button{text-decoration:underline}
a,.close,.trouble button{background:none;color:inherit}
form{display:flex;gap:8px;padding:10px;border-top:1px solid var(--line)}
textarea{flex:1;min-height:40px;padding:8px 10px;resize:none;border:1px solid var(--line);border-radius:10px;background:var(--bg);color:var(--fg)}
.send{padding:0 16px;border-radius:10px}`;

  const host = el('div');
  const root = host.attachShadow({ mode: 'open' });
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [sheet];
  } catch { root.append(el('style', {}, css)); }
  host.style.color = '#1f5eff';
  if (color) host.style.color = color; // one that is no color changes nothing
  host.style.setProperty('--accent', host.style.color);

  const badge = el('span', { class: 'badge', role: 'status', hidden: '' });
  const launch = el('button', { class: 'launch', 'aria-expanded': 'false', 'aria-controls': 'panel' }, title, badge);
  const close = el('button', { class: 'close', 'aria-label': 'Close the chat' }, '×');
  const note = el('div', { class: 'note', role: 'status', hidden: '' });
  const log = el('div', { class: 'log', role: 'log', 'aria-label': 'Messages', tabindex: '0' });
  const field = el('textarea', { rows: '1', 'aria-label': 'Your message', placeholder: 'Write a message', maxlength: TEXT_CHARS_MAX });
  const form = el('form', {}, field, el('button', { class: 'send' }, 'Send'));
  const panel = el('section', { class: 'panel', id: 'panel', role: 'dialog', 'aria-label': title, hidden: '' },
    el('header', {}, el('h2', {}, title), close), note, log, form);
  root.append(launch, panel);

  const toEnd = () => { log.scrollTop = log.scrollHeight; };
  const say = (text) => { note.textContent = text; note.hidden = !text; };
  const show = (wide) => {
    panel.hidden = !wide;
    launch.setAttribute('aria-expanded', wide);
    if (wide) { toEnd(); field.focus(); markRead(); } else launch.focus();
  };
  launch.addEventListener('click', () => show(panel.hidden));
  close.addEventListener('click', () => show(false));
  panel.addEventListener('keydown', (event) => { if (event.key === 'Escape') { event.stopPropagation(); show(false); } });

  // Whether each message is the visitor's own, by id; and what shows one that is on its way, by client_id.
  const shown = new Map(), mine = new Map();
  let last = '';

  const bubble = (text, own) => el('div', { class: own ? 'said mine' : 'said' }, text || '');
  const place = (node, id) => {
    const low = log.scrollHeight - log.scrollTop - log.clientHeight < 60;
    node.dataset.id = id;
    const later = [...log.children].find((other) => !other.dataset.id || other.dataset.id > id);
    log.insertBefore(node, later || null);
    if (low) toEnd();
  };
  const receive = (message) => {
    if (message.client_id) settle(message.client_id);
    if (shown.has(message.id)) return;
    const own = message.direction === 'inbound';
    const node = bubble(message.text, own);
    if (/^https?:/i.test(message.media_url)) {
      node.append(el('a', { href: message.media_url, target: '_blank', rel: 'noopener noreferrer' }, ` [${message.type}]`));
    }
    shown.set(message.id, own);
    place(node, message.id);
    if (message.id > last) last = message.id;
    markRead();
  };

  let reading;
  const markRead = () => {
    const unread = [...shown].filter(([id, own]) => !own && id > state.read).map(([id]) => id).sort();
    const seen = !panel.hidden && document.visibilityState === 'visible';
    badge.textContent = `${unread.length} new`;
    badge.hidden = seen || !unread.length;
    if (!seen || !unread.length) return;
    state.read = unread.at(-1);
    save();
    clearTimeout(reading);
    reading = setTimeout(() => ask('read', { message_id: state.read }).catch(() => {}), 300);
  };

  const ask = async (path, body) => {
    const headers = { 'Content-Type': 'application/json' };
    if (state.token && path !== 'visitors') headers.Authorization = `Bearer ${state.token}`;
    const answer = await fetch(new URL(path, base), {
      method: body ? 'POST' : 'GET', headers, body: body && JSON.stringify(body), credentials: 'omit',
    });
    const told = await answer.json().catch(() => ({}));
    if (answer.ok) return told.data;
    const { message, reason } = told.error || {};
    if (answer.status === 403 && reason === 'visitor_token') { state.token = null; save(); stop(); }
    throw Object.assign(new Error(message || `The server answered ${answer.status}.`), {
      status: answer.status, reason, wait: 1000 * answer.headers.get('Retry-After'),
    });
  };
  const arrive = async () => {
    // A website's mistake about somebody's name is no reason not to hear them.
    const nameless = (error) => { if (error.status === 400) return ask('visitors', {}); throw error; };
    state.token = (await ask('visitors', { name, email }).catch(nameless)).token;
    save();
    listen();
  };

  // What is to be sent goes in order, and goes again under the same client_id until it is known to have arrived.
  const settle = (client_id) => {
    state.queue = state.queue.filter((one) => one.client_id !== client_id);
    save();
    mine.get(client_id)?.forEach((node) => node.remove());
    mine.delete(client_id);
  };
  const expect = (one) => {
    const node = bubble(one.text, true);
    node.classList.add('waiting');
    mine.set(one.client_id, [node]);
    log.append(node);
    toEnd();
  };
  const fail = (one, why) => {
    state.queue = state.queue.filter((other) => other !== one);
    save();
    const again = el('button', {}, 'Send again');
    const trouble = el('div', { class: 'trouble', role: 'alert' }, `Not sent. ${why} `, again);
    again.addEventListener('click', () => { trouble.remove(); state.queue.push(one); save(); flush(); });
    const nodes = mine.get(one.client_id);
    nodes?.push(trouble);
    nodes?.[0].after(trouble);
  };
  const pause = (count) => Math.min(PAUSE_MS_MAX, 1000 * 2 ** count);
  let sending = false, tries = 0, timer;
  const flush = async () => {
    clearTimeout(timer);
    if (sending) return;
    sending = true;
    while (state.queue.length) {
      const one = state.queue[0];
      try {
        if (!state.token) await arrive();
        receive(await ask('messages', { text: one.text, client_id: one.client_id }));
        settle(one.client_id);
        tries = 0;
        say('');
      } catch (error) {
        tries += 1;
        const passes = !error.status || error.status === 429 || error.status >= 500 || error.reason === 'visitor_token';
        if (!passes || (tries >= TRIES_MAX && navigator.onLine)) {
          tries = 0;
          fail(one, passes ? 'The server cannot be reached.' : error.message);
          continue;
        }
        say(navigator.onLine ? 'Sending …' : OFFLINE);
        timer = setTimeout(flush, error.reason === 'visitor_token' ? 0 : error.wait || pause(tries));
        break;
      }
    }
    sending = false;
  };
  const id = () => [...crypto.getRandomValues(new Uint32Array(4))].map((n) => n.toString(36)).join('-');
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (!text) return;
    const one = { client_id: id(), text };
    field.value = '';
    state.queue.push(one);
    save();
    expect(one);
    flush();
  });
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) { event.preventDefault(); form.requestSubmit(); }
  });

  // The browser reconnects by itself and names the last message it got; where it gives up, this does. A page that
  // nobody looks at holds no connection: browsers allow only a few to one server.
  let source, waiting, lost = 0;
  const stop = () => { clearTimeout(waiting); source?.close(); source = null; };
  const listen = () => {
    if (source || !state.token || document.visibilityState === 'hidden') return;
    clearTimeout(waiting);
    const url = new URL('stream', base);
    url.searchParams.set('token', state.token);
    if (last) url.searchParams.set('after', last);
    source = new EventSource(url);
    source.onopen = () => { lost = 0; if (!state.queue.length) say(''); };
    source.addEventListener('message', (event) => receive(JSON.parse(event.data)));
    source.onerror = () => {
      if (!source) return;
      lost += 1;
      if (lost > 1) say('Connecting …');
      if (source.readyState !== EventSource.CLOSED) return;
      stop();
      // Asking tells a token that is no longer good from a server that is away.
      waiting = setTimeout(() => ask('messages?limit=1').catch(() => {}).then(listen), pause(lost));
    };
  };
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') stop(); else { listen(); markRead(); }
  });
  addEventListener('online', () => { say(''); stop(); listen(); flush(); });
  addEventListener('offline', () => say(OFFLINE));

  const begin = () => {
    document.body.append(host);
    const [r, g, b] = getComputedStyle(host).color.match(/[\d.]+/g);
    host.style.setProperty('--on', 0.3 * r + 0.59 * g + 0.11 * b > 150 ? '#111' : '#fff');
    state.queue.forEach(expect);
    listen();
    flush();
  };
  if (document.body) begin(); else addEventListener('DOMContentLoaded', begin);
})();
