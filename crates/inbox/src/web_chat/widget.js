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

  // What is remembered: who one is and what one has read, and each message that is still to be sent under a key of its
  // own. The pages of a website that are open at once share it, and none may undo what another has kept.
  const kept = (key) => { try { return JSON.parse(localStorage.getItem(key)); } catch { return null; } };
  const keep = (key, value) => {
    try {
      if (value) localStorage.setItem(key, JSON.stringify(value)); else localStorage.removeItem(key);
    } catch { /* this page only */ }
  };
  const unsent = () => { try { return Object.keys(localStorage).filter((key) => key.startsWith(`${KEY}:`)).sort(); } catch { return []; } };
  const state = { token: null, read: '', ...kept(KEY) };
  const save = () => keep(KEY, state);
  let queue = unsent().map(kept).filter((one) => one?.text);

  const el = (tag, attributes, ...children) => {
    const made = document.createElement(tag);
    for (const name in attributes) made.setAttribute(name, attributes[name]);
    made.append(...children);
    return made;
  };
  const css = `
:host{all:initial!important;--bg:#fff;--fg:#1c1f23;--dim:#5f6772;--line:#d9dde3;--them:#eef1f4}
@media(prefers-color-scheme:dark){:host{--bg:#1b1e23;--fg:#eceff3;--dim:#a2abb8;--line:#3a404a;--them:#2b3038}}
@media print{:host{display:none!important}}
*{box-sizing:border-box;font:15px/1.45 system-ui,sans-serif}
[hidden]{display:none!important}
button{cursor:pointer;border:0}
:focus-visible{outline:2px solid var(--fg);outline-offset:2px}
.head :focus-visible{outline-color:var(--on);outline-offset:-4px}
.log:focus-visible,textarea:focus-visible{outline-offset:-2px}
.launch,.panel{position:fixed;right:16px;z-index:2147483000;box-shadow:0 4px 24px #0004}
.launch{bottom:16px;height:52px;padding:0 22px;border-radius:26px;font-weight:600}
.launch,.send,.head,.mine{background:var(--accent);color:var(--on)}
.badge{margin-left:8px;padding:2px 8px;border-radius:12px;background:#c62828;color:#fff;font-size:13px}
.panel{bottom:16px;display:flex;flex-direction:column;width:min(370px,100vw - 32px);height:min(620px,100vh - 32px);
overflow:hidden;border:1px solid var(--line);border-radius:16px;background:var(--bg);color:var(--fg)}
.head{display:flex;justify-content:space-between;align-items:center;padding:8px;padding-inline-start:18px}
h2{margin:0;font-size:16px;font-weight:600;overflow-wrap:anywhere}
.close{flex:none;display:grid;place-items:center;width:40px;height:40px;padding:0;border-radius:10px;font-size:26px;line-height:1}
.note{padding:6px 18px;border-bottom:1px solid var(--line)}
.note,.trouble,.log:empty{color:var(--dim)}
.log{position:relative;flex:1;overflow-y:auto;overscroll-behavior:contain;padding:14px;display:flex;flex-direction:column;gap:8px}
.log:empty::before{content:'Write to us. The answer appears here.';margin:auto}
.said{max-width:84%;padding:8px 12px;border-radius:14px 14px 14px 4px;align-self:flex-start;white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext;background:var(--them)}
.mine{align-self:flex-end;border-radius:14px 14px 4px;background:var(--accent)}
.file{display:block}
img{display:block;max-width:100%;max-height:260px;margin-top:4px;border-radius:8px}
time{display:block;margin-top:2px;font-size:12px;opacity:.75}
.mine time{text-align:right}
.waiting{opacity:.65}
.trouble{align-self:flex-end;font-size:13px;text-align:right}
.trouble button{padding:0;font:inherit;text-decoration:underline}
a,.close,.trouble button{background:none;color:inherit}
form{display:flex;gap:8px;align-items:flex-end;padding:10px;border-top:1px solid var(--line)}
textarea{flex:1;height:42px;max-height:130px;padding:9px 12px;resize:none;border:1px solid var(--line);border-radius:12px;font-size:16px;line-height:22px;background:var(--bg);color:var(--fg)}
.send{height:42px;padding:0 16px;border-radius:12px;font-weight:600}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
@media(max-width:480px){.panel{inset:0;width:auto;height:100%;border:0;border-radius:0}}`;

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

  const badge = el('span', { class: 'badge', hidden: '' });
  const news = el('div', { class: 'unseen', role: 'status' });
  const launch = el('button', { class: 'launch', 'aria-expanded': 'false', 'aria-controls': 'panel' }, title, badge);
  const close = el('button', { class: 'close', 'aria-label': 'Close the chat' }, '×');
  const note = el('div', { class: 'note', role: 'status', hidden: '' });
  const log = el('div', { class: 'log', role: 'log', 'aria-label': 'Messages', tabindex: '0' });
  const field = el('textarea', { rows: '1', 'aria-label': 'Your message', placeholder: 'Write a message', maxlength: TEXT_CHARS_MAX });
  const form = el('form', {}, field, el('button', { class: 'send' }, 'Send'));
  const panel = el('section', { class: 'panel', id: 'panel', role: 'dialog', 'aria-label': title, hidden: '' },
    el('div', { class: 'head' }, el('h2', {}, title), close), note, log, form);
  root.append(launch, news, panel);

  const isLow = (more) => log.scrollHeight - log.scrollTop - log.clientHeight < 60 + more;
  const toEnd = () => { log.scrollTop = log.scrollHeight; };
  const say = (text) => { note.textContent = text; note.hidden = !text; };
  const show = (wide) => {
    panel.hidden = !wide;
    launch.hidden = wide;
    launch.setAttribute('aria-expanded', wide);
    if (wide) { toEnd(); field.focus(); markRead(); } else launch.focus();
  };
  launch.addEventListener('click', () => show(true));
  close.addEventListener('click', () => show(false));
  panel.addEventListener('keydown', (event) => { if (event.key === 'Escape') { event.stopPropagation(); show(false); } });

  // Whether each message is the visitor's own, by id; and what shows one that is on its way, by client_id.
  const shown = new Map(), mine = new Map();
  let last = '';

  const link = (address, text, kind = '') =>
    el('a', { href: address, class: kind, target: '_blank', rel: 'noopener noreferrer' }, text);
  // A picture is shown where it was sent. One that does not load, perhaps because of the page's policy, is a link.
  const file = ({ type, media_url: address }) => {
    const words = `Open the ${type}`, shows = link(address, words, 'file');
    if (type !== 'image') return shows;
    const picture = el('img', { src: address, alt: words });
    picture.onload = () => { if (isLow(picture.offsetHeight)) toEnd(); };
    picture.onerror = () => shows.replaceChildren(words);
    shows.replaceChildren(picture);
    return shows;
  };
  // Every second part of what is split by an address is one.
  const words = (text) => text.split(/(https?:\/\/[^\s<>"]*[^\s<>"'.,:;!?)\]])/i).map((part, at) => (at % 2 ? link(part, part) : part));
  const bubble = (text, own) => el('div', { class: own ? 'said mine' : 'said' },
    el('span', { class: 'unseen' }, own ? 'You: ' : 'Answer: '), ...words(text || ''));
  const moment = (at) => {
    const when = new Date(at), day = when.toDateString() === new Date().toDateString() ? {} : { month: 'short', day: 'numeric' };
    return el('time', { datetime: at }, when.toLocaleString([], { ...day, hour: '2-digit', minute: '2-digit' }));
  };
  const place = (node, id) => {
    const low = isLow(0);
    node.dataset.id = id;
    const others = [...log.children].filter((other) => other !== node);
    const later = others.find((other) => !other.dataset.id || other.dataset.id > id) || null;
    if (!node.parentNode || node.nextSibling !== later) log.insertBefore(node, later);
    if (low) toEnd();
  };
  const receive = (message) => {
    const expected = message.client_id && settle(message.client_id);
    if (shown.has(message.id)) return;
    const own = message.direction === 'inbound';
    const node = expected || bubble(message.text, own);
    if (/^https?:/i.test(message.media_url)) node.append(file(message));
    node.append(moment(message.created_at));
    shown.set(message.id, own);
    place(node, message.id);
    if (message.id > last) last = message.id;
    markRead();
  };

  let reading;
  const markRead = () => {
    const unread = [...shown].filter(([id, own]) => !own && id > state.read).map(([id]) => id).sort();
    const seen = !panel.hidden && document.visibilityState === 'visible';
    badge.hidden = seen || !unread.length;
    badge.textContent = news.textContent = badge.hidden ? '' : `${unread.length} new`;
    if (!seen || !unread.length) return;
    state.read = unread.at(-1);
    save();
    clearTimeout(reading);
    reading = setTimeout(() => ask('read', { message_id: state.read }).catch(() => {}), 300);
  };

  const ask = async (path, body) => {
    const { token } = state, headers = { 'Content-Type': 'application/json' };
    if (token && path !== 'visitors') headers.Authorization = `Bearer ${token}`;
    const answer = await fetch(new URL(path, base), {
      method: body ? 'POST' : 'GET', headers, body: body && JSON.stringify(body), credentials: 'omit',
    });
    const told = await answer.json().catch(() => ({}));
    if (answer.ok) return told.data;
    const { message, reason } = told.error || {};
    if (reason === 'visitor_token' && state.token === token) {
      stop();
      state.token = null;
      if (kept(KEY)?.token === token) save(); else adopt();
    }
    throw Object.assign(new Error(message || `The server answered ${answer.status}.`), {
      status: answer.status, reason, wait: 1000 * answer.headers.get('Retry-After'),
    });
  };
  // What another page of the website has kept since.
  const adopt = () => {
    const { token, read = '' } = kept(KEY) || {};
    if (token && token !== state.token) { stop(); state.token = token; listen(); }
    if (read > state.read) state.read = read;
    markRead();
  };
  // Two pages that begin to talk at once are one visitor.
  const alone = (work) => (navigator.locks ? navigator.locks.request(KEY, work) : work());
  const arrive = async () => {
    adopt();
    if (state.token) return;
    // A website's mistake about somebody's name is no reason not to hear them.
    const nameless = (error) => { if (error.status === 400) return ask('visitors', {}); throw error; };
    state.token = (await ask('visitors', { name, email }).catch(nameless)).token;
    save();
    listen();
  };

  // What is to be sent goes in order, and goes again under the same client_id until it is known to have arrived.
  const settle = (client_id) => {
    queue = queue.filter((one) => one.client_id !== client_id);
    keep(`${KEY}:${client_id}`);
    const { node, trouble } = mine.get(client_id) || {};
    mine.delete(client_id);
    trouble?.remove();
    node?.classList.remove('waiting');
    return node;
  };
  const expect = (one) => {
    const node = bubble(one.text, true);
    node.classList.add('waiting');
    mine.set(one.client_id, { node });
    log.append(node);
    toEnd();
  };
  // What could not be sent is tried again by the next page, unless it was refused.
  const fail = (one, why, refused) => {
    queue = queue.filter((other) => other !== one);
    if (refused) keep(`${KEY}:${one.client_id}`);
    const again = el('button', {}, 'Send again');
    const trouble = el('div', { class: 'trouble', role: 'alert' }, `Not sent. ${why} `, again);
    again.addEventListener('click', () => { trouble.remove(); queue.push(one); flush(); });
    const waits = mine.get(one.client_id);
    if (!waits) return;
    waits.trouble = trouble;
    waits.node.after(trouble);
    toEnd();
  };
  const pause = (count) => Math.min(PAUSE_MS_MAX, 1000 * 2 ** count);
  let sending = false, tries = 0, timer = 0;
  const flush = async () => {
    clearTimeout(timer);
    timer = 0;
    if (sending) return;
    sending = true;
    while (queue.length) {
      const one = queue[0];
      try {
        if (!state.token) await alone(arrive);
        receive(await ask('messages', one));
        settle(one.client_id);
        tries = 0;
        say('');
      } catch (error) {
        const often = error.status === 429;
        if (!often) tries += 1;
        const passes = !error.status || often || error.status >= 500 || error.reason === 'visitor_token';
        if (!passes || (tries >= TRIES_MAX && navigator.onLine)) {
          tries = 0;
          say('');
          fail(one, passes ? 'The server cannot be reached.' : error.status === 422 ? 'This chat is closed.' : error.message, !passes);
          continue;
        }
        say(!navigator.onLine ? OFFLINE : often ? 'That was a lot at once. The rest is sent in a moment.' : 'Sending …');
        timer = setTimeout(flush, error.reason === 'visitor_token' ? 0 : error.wait || pause(tries));
        break;
      }
    }
    sending = false;
  };
  // Begins with the time, so that what is kept can be put in order.
  const id = () => [Date.now(), ...crypto.getRandomValues(new Uint32Array(4))].map((n) => n.toString(36)).join('-');
  const write = (text) => {
    field.value = text;
    grow();
  };
  const grow = () => {
    field.style.height = 'auto';
    field.style.height = `${field.scrollHeight + 2}px`;
  };
  field.addEventListener('input', grow);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (!text) return;
    const one = { client_id: id(), text };
    write('');
    queue.push(one);
    keep(`${KEY}:${one.client_id}`, one);
    expect(one);
    if (!timer) flush();
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
    source.onopen = () => { lost = 0; if (queue.length) flush(); else say(''); };
    source.addEventListener('message', (event) => receive(JSON.parse(event.data)));
    source.onerror = () => {
      if (!source) return;
      lost += 1;
      if (lost > 1) say(navigator.onLine ? 'Connecting …' : OFFLINE);
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
  addEventListener('storage', (event) => { if (event.key === KEY) adopt(); });

  const begin = () => {
    document.body.append(host);
    const [r, g, b] = getComputedStyle(launch).backgroundColor.match(/[\d.]+/g);
    host.style.setProperty('--on', 0.3 * r + 0.59 * g + 0.11 * b > 150 ? '#111' : '#fff');
    queue.forEach(expect);
    listen();
    flush();
  };
  const start = () => { if (document.body) begin(); else addEventListener('DOMContentLoaded', begin); };
  // A chat that does not exist is reported to the page's owner, and visitors see nothing of it.
  const check = ({ status }) => {
    if (status !== 404) return start();
    console.error(`Frontdesk: ${base.origin} has no web chat with data-connection="${connection}". See "frontdesk channel list".`);
  };
  if (state.token) start(); else fetch(base, { credentials: 'omit' }).then(check, start);
})();
