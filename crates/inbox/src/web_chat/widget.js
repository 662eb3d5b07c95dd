// The Frontdesk chat widget.
// <script src="https://HOST/widget.js" data-connection="ID" async></script>
// Optional: data-title, data-color, data-language; data-name, data-email, data-user-id and data-user-hash introduce the
// visitor. The page may call window.Frontdesk after the event frontdesk:ready. Data is only ever set as text.
(() => {
  'use strict';
  const { dataset = {}, src } = document.currentScript || {};
  const { connection } = dataset;
  if (!connection) return console.warn('Frontdesk: the script needs a data-connection attribute.');
  const open = (window.__frontdesk ||= new Set());
  if (open.has(connection)) return;
  open.add(connection);

  const base = new URL(`channels/web_chat/${encodeURIComponent(connection)}/`, src);
  const KEY = `frontdesk:${connection}`, HEARD = `frontdesk-heard:${connection}`;
  const TEXT_CHARS_MAX = 4096, NAME_CHARS_MAX = 200, TRIES_MAX = 6, PAUSE_MS_MAX = 60000;
  const TYPING_MS = 4000, THEIR_TYPING_MS = 25000, POLL_MS = 30000, CONFIG_MS = 60000, PAGE_MS = 4000;

  const LANGUAGES = {
    en: {
      title: 'Chat with us', close: 'Close the chat', mute: 'Sound', log: 'Messages', field: 'Your message', write: 'Write a message',
      send: 'Send', attach: 'Attach a file', empty: 'Write to us. The answer appears here.', you: 'You: ', them: 'Answer: ',
      open: (kind) => `Open the ${kind}`, unread: (count) => `${count} new`, seen: 'Seen', typing: 'Somebody is typing …',
      again: 'Send again', failed: 'Not sent. ', offline: 'You are offline. What you write is sent when you are back.',
      often: 'That was a lot at once. The rest is sent in a moment.', sending: 'Sending …', connecting: 'Connecting …',
      unreached: 'The server cannot be reached.', closed: 'This chat is closed.', large: (mib) => `The file is larger than ${mib} MB.`,
      type: 'Files of this type are not accepted.', full: 'Files are not accepted here.', refused: 'It was not accepted.', name: 'Your name', email: 'Your email address',
      optional: ' (optional)', ask: 'Before we begin', start: 'Start the chat', away: 'We are not here at the moment. We answer as soon as we are back.',
      today: (time) => `We are not here at the moment. We answer today from ${time}.`,
      tomorrow: (time) => `We are not here at the moment. We answer tomorrow from ${time}.`,
      later: (day, time) => `We are not here at the moment. We answer on ${day} from ${time}.`,
    },
    de: {
      title: 'Chatten Sie mit uns', close: 'Chat schließen', mute: 'Ton', log: 'Nachrichten', field: 'Ihre Nachricht', write: 'Nachricht schreiben',
      send: 'Senden', attach: 'Datei anhängen', empty: 'Schreiben Sie uns. Die Antwort erscheint hier.', you: 'Sie: ', them: 'Antwort: ',
      open: (kind) => ({ image: 'Bild öffnen', video: 'Video öffnen', audio: 'Aufnahme öffnen' })[kind] || 'Datei öffnen',
      unread: (count) => `${count} neu`, seen: 'Gelesen', typing: 'Jemand schreibt …',
      again: 'Erneut senden', failed: 'Nicht gesendet. ', offline: 'Sie sind offline. Was Sie schreiben, wird gesendet, sobald Sie wieder online sind.',
      often: 'Das war viel auf einmal. Der Rest wird gleich gesendet.', sending: 'Wird gesendet …', connecting: 'Verbinden …',
      unreached: 'Der Server ist nicht erreichbar.', closed: 'Dieser Chat ist geschlossen.', large: (mib) => `Die Datei ist größer als ${mib} MB.`,
      type: 'Dateien dieser Art werden nicht angenommen.', full: 'Hier werden keine Dateien angenommen.', refused: 'Sie wurde nicht angenommen.', name: 'Ihr Name', email: 'Ihre E-Mail-Adresse',
      optional: ' (freiwillig)', ask: 'Bevor es losgeht', start: 'Chat beginnen', away: 'Wir sind gerade nicht da. Wir antworten, sobald wir zurück sind.',
      today: (time) => `Wir sind gerade nicht da. Wir antworten heute ab ${time} Uhr.`,
      tomorrow: (time) => `Wir sind gerade nicht da. Wir antworten morgen ab ${time} Uhr.`,
      later: (day, time) => `Wir sind gerade nicht da. Wir antworten am ${day} ab ${time} Uhr.`,
    },
  };
  // How the chat is set up, until the server has said so.
  let config = { theme: 'auto', position: 'right', language: 'auto', ask_name: 'never', ask_email: 'never', accepts_files: true, plays_sound: true, shows_page: true, file_bytes_max: 10 << 20, texts: {}, hours: null, brand: {} };
  let configured = 0, language = 'en', words = LANGUAGES.en;

  // What is remembered: who one is and what one has read, and each message that is still to be sent under a key of its
  // own. The pages of a website that are open at once share it, and none may undo what another has kept.
  const kept = (key) => { try { return JSON.parse(localStorage.getItem(key)); } catch { return null; } };
  const keep = (key, value) => {
    try {
      if (value) localStorage.setItem(key, JSON.stringify(value)); else localStorage.removeItem(key);
    } catch { /* this page only */ }
  };
  const unsent = () => { try { return Object.keys(localStorage).filter((key) => key.startsWith(`${KEY}:`)).sort(); } catch { return []; } };
  const NOBODY = { token: null, read: '', user: null, asked: false, fresh: false, who: {} };
  const state = { ...NOBODY, ...kept(KEY) };
  const save = () => keep(KEY, state);
  let queue = unsent().map(kept).filter((one) => one?.text);
  let muted = kept(`${HEARD}:mute`) === true;

  const handlers = {};
  const emit = (name, detail) => {
    for (const handler of handlers[name] || []) { try { handler(detail); } catch (error) { console.error(error); } }
  };

  const el = (tag, attributes, ...children) => {
    const made = document.createElement(tag);
    for (const name in attributes) made.setAttribute(name, attributes[name]);
    made.append(...children);
    return made;
  };
  const css = `
:host{all:initial!important;position:fixed!important;z-index:2147483000!important;--bg:#fff;--fg:#1c1f23;--dim:#5f6772;--line:#d9dde3;--them:#eef1f4}
:host([data-theme=dark]){--bg:#1b1e23;--fg:#eceff3;--dim:#a2abb8;--line:#3a404a;--them:#2b3038}
@media print{:host{display:none!important}}
*{box-sizing:border-box;font:15px/1.45 system-ui,sans-serif}
[hidden]{display:none!important}
button{cursor:pointer;border:0}
:focus-visible{outline:2px solid var(--fg);outline-offset:2px}
.head :focus-visible{outline-color:var(--on);outline-offset:-4px}
.log:focus-visible,textarea:focus-visible,input:focus-visible{outline-offset:-2px}
.launch,.panel{position:fixed;right:16px;box-shadow:0 4px 24px #0004}
:host([data-position=left]) :is(.launch,.panel){right:auto;left:16px}
.launch{bottom:16px;height:52px;padding:0 22px;border-radius:26px;font-weight:600}
.launch,.send,.head,.mine{background:var(--accent);color:var(--on)}
.badge{margin-inline-start:8px;padding:2px 8px;border-radius:12px;background:#c62828;color:#fff;font-size:13px}
.panel{bottom:16px;display:flex;flex-direction:column;width:min(370px,100vw - 32px);height:min(620px,100vh - 32px);
overflow:hidden;border:1px solid var(--line);border-radius:16px;background:var(--bg);color:var(--fg)}
.head{display:flex;align-items:center;padding:8px;padding-inline-start:18px}
h2{flex:1;margin:0;font-size:16px;font-weight:600;overflow-wrap:anywhere}
.icon{flex:none;display:grid;place-items:center;width:40px;height:40px;padding:0;border-radius:10px;font-size:26px;line-height:1}
.icon svg{width:20px;height:20px;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.mute[aria-pressed=false]{opacity:.6}
.note,.away{padding:6px 18px;border-bottom:1px solid var(--line)}
.note,.trouble,.empty,.typing,.seen{color:var(--dim)}
.log{position:relative;flex:1;overflow-y:auto;overscroll-behavior:contain;padding:14px;display:flex;flex-direction:column;gap:8px}
.empty{margin:auto;text-align:center}
.said{max-width:84%;padding:8px 12px;border-radius:14px 14px 14px 4px;align-self:flex-start;white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext;background:var(--them)}
.mine{align-self:flex-end;border-radius:14px 14px 4px;background:var(--accent)}
.file{display:block}
img{display:block;max-width:100%;max-height:260px;margin-top:4px;border-radius:8px}
.logo{max-width:96px;max-height:32px;margin:0;margin-inline-end:10px;border-radius:4px}
time{display:block;margin-top:2px;font-size:12px;color:var(--dim)}
.mine time{text-align:end;color:inherit}
.waiting{font-style:italic}
.trouble,.seen{align-self:flex-end;font-size:13px;text-align:end}
.trouble button{padding:0;font:inherit;text-decoration:underline}
.typing{min-height:22px;padding:0 18px;font-size:13px}
a,.icon,.trouble button{background:none;color:inherit}
form{display:flex;gap:8px;align-items:flex-end;padding:10px;border-top:1px solid var(--line)}
.ask{flex-direction:column;align-items:stretch}
label{display:flex;flex-direction:column;gap:4px}
textarea,input{flex:1;min-width:0;padding:9px 12px;resize:none;border:1px solid var(--dim);border-radius:12px;font-size:16px;line-height:22px;background:var(--bg);color:var(--fg)}
textarea{height:42px;max-height:130px}
.send{height:42px;padding:0 16px;border-radius:12px;font-weight:600}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
@media(max-width:480px){:host .panel,:host([data-position=left]) .panel{inset:0;width:auto;height:100dvh;border:0;border-radius:0}}`;

  const host = el('div');
  const root = host.attachShadow({ mode: 'open' });
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [sheet];
  } catch { root.append(el('style', {}, css)); }

  const icon = (path) => {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg'), line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    svg.setAttribute('viewBox', '0 0 24 24');
    svg.setAttribute('aria-hidden', 'true');
    line.setAttribute('d', path);
    svg.append(line);
    return svg;
  };
  const label = el('span'), badge = el('span', { class: 'badge', hidden: '' });
  const news = el('div', { class: 'unseen', role: 'status' });
  const launch = el('button', { class: 'launch', 'aria-expanded': 'false', 'aria-controls': 'panel' }, label, badge);
  const heading = el('h2'), logo = el('img', { class: 'logo', alt: '', hidden: '' });
  logo.onerror = () => { logo.hidden = true; };
  const mute = el('button', { class: 'icon mute' }, icon('M11 5 6 9H3v6h3l5 4zM15 9a4 4 0 0 1 0 6M18 6a8 8 0 0 1 0 12'));
  const close = el('button', { class: 'icon close' }, '×');
  const note = el('div', { class: 'note', role: 'status', hidden: '' });
  const away = el('div', { class: 'away', hidden: '' });
  const log = el('div', { class: 'log', role: 'log', tabindex: '0' });
  const greeting = el('div', { class: 'said', hidden: '' }), empty = el('div', { class: 'empty' });
  log.append(greeting, empty);
  const seen = el('div', { class: 'seen' }), typing = el('div', { class: 'typing', role: 'status' });
  const field = el('textarea', { rows: '1', maxlength: TEXT_CHARS_MAX });
  const files = el('input', { type: 'file', multiple: '', hidden: '' });
  const attach = el('button', { class: 'icon', type: 'button' }, icon('m21 11-9 9a5.5 5.5 0 0 1-8-8l9-9a3.7 3.7 0 0 1 5.5 5.5l-9 9a1.9 1.9 0 0 1-2.7-2.7l8-8'));
  const send = el('button', { class: 'send' });
  const form = el('form', {}, files, attach, field, send);
  const nameField = el('input', { name: 'name', autocomplete: 'name', maxlength: NAME_CHARS_MAX });
  const emailField = el('input', { name: 'email', type: 'email', autocomplete: 'email', maxlength: NAME_CHARS_MAX });
  const nameWords = el('span'), emailWords = el('span'), askWords = el('strong'), start = el('button', { class: 'send' });
  const nameLabel = el('label', {}, nameWords, nameField), emailLabel = el('label', {}, emailWords, emailField);
  const ask = el('form', { class: 'ask', hidden: '' }, askWords, nameLabel, emailLabel, start);
  const panel = el('section', { class: 'panel', id: 'panel', role: 'dialog', hidden: '' },
    el('div', { class: 'head' }, logo, heading, mute, close), away, note, log, typing, ask, form);
  root.append(launch, news, panel);

  // The language, the texts and the looks, as they are set up.
  const own = (what) => config.texts[language]?.[what] || Object.values(config.texts).map((texts) => texts?.[what]).find(Boolean);
  const dark = matchMedia('(prefers-color-scheme:dark)');
  const drawTheme = () => { host.dataset.theme = config.theme === 'auto' ? (dark.matches ? 'dark' : 'light') : config.theme; };
  dark.addEventListener?.('change', drawTheme);
  // The visitor's own way to write times, if it is in the language.
  const locale = () => (navigator.language?.toLowerCase().startsWith(language) ? navigator.language : language);
  const drawHours = () => {
    const { is_open: isOpen = true, opens_at: at } = config.hours || {}, opens = at && new Date(at);
    away.hidden = isOpen;
    if (isOpen) return;
    const time = opens?.toLocaleTimeString(locale(), { hour: '2-digit', minute: '2-digit' });
    const days = opens && Math.round((new Date(opens).setHours(0, 0, 0, 0) - new Date().setHours(0, 0, 0, 0)) / 864e5);
    const day = opens?.toLocaleDateString(locale(), days < 7 ? { weekday: 'long' } : { day: 'numeric', month: 'long' });
    away.textContent = own('away') || (!opens ? words.away : days < 1 ? words.today(time) : days < 2 ? words.tomorrow(time) : words.later(day, time));
  };
  const isAsked = (question, known) => config[question] !== 'never' && !known;
  const drawQuestions = () => {
    const { name, email } = state.who, wantsName = isAsked('ask_name', name), wantsEmail = isAsked('ask_email', email);
    const asks = !state.token && !state.asked && (wantsName || wantsEmail);
    nameLabel.hidden = !wantsName;
    emailLabel.hidden = !wantsEmail;
    nameField.required = wantsName && config.ask_name === 'required';
    emailField.required = wantsEmail && config.ask_email === 'required';
    nameWords.textContent = words.name + (nameField.required ? '' : words.optional);
    emailWords.textContent = words.email + (emailField.required ? '' : words.optional);
    ask.hidden = !asks;
    form.hidden = asks;
  };
  const draw = () => {
    const wanted = config.language === 'auto' ? dataset.language || document.documentElement.lang || navigator.language || '' : config.language;
    language = wanted.toLowerCase().split('-')[0];
    if (!LANGUAGES[language]) language = 'en';
    words = LANGUAGES[language];
    host.lang = language;
    host.dataset.position = config.position;
    drawTheme();
    const { name: business, color: usual, logo_url: picture } = config.brand, given = dataset.title || own('title');
    const title = given || business || words.title;
    label.textContent = given || words.title;
    heading.textContent = title;
    logo.hidden = !picture;
    if (picture && logo.src !== picture) logo.src = picture;
    const names = [[panel, title], [close, words.close], [mute, words.mute], [log, words.log], [field, words.field], [attach, words.attach]];
    for (const [node, name] of names) node.setAttribute('aria-label', name);
    mute.setAttribute('aria-pressed', String(!muted));
    mute.hidden = !config.plays_sound;
    field.placeholder = words.write;
    send.textContent = words.send;
    start.textContent = words.start;
    askWords.textContent = words.ask;
    empty.textContent = words.empty;
    seen.textContent = words.seen;
    attach.hidden = !config.accepts_files;
    greeting.textContent = own('greeting') || '';
    greeting.hidden = !greeting.textContent;
    host.style.color = '#1f5eff';
    for (const color of [usual, config.color, dataset.color]) if (color) host.style.color = color; // one that is no color changes nothing
    host.style.setProperty('--accent', host.style.color);
    drawContrast();
    drawHours();
    drawQuestions();
    drawEmpty();
  };
  // Black or white on the color, whichever is easier to read.
  const drawContrast = () => {
    const [r, g, b] = getComputedStyle(launch).backgroundColor.match(/[\d.]+/g).map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    host.style.setProperty('--on', 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? '#000' : '#fff');
  };
  const drawEmpty = () => { empty.hidden = shown.size > 0 || mine.size > 0 || !greeting.hidden; };

  const isLow = (more) => log.scrollHeight - log.scrollTop - log.clientHeight < 60 + more;
  const toEnd = () => { log.scrollTop = log.scrollHeight; };
  const say = (text) => { note.textContent = text; note.hidden = !text; };
  const isPhone = () => matchMedia('(max-width:480px)').matches;
  const show = (wide) => {
    if (panel.hidden !== wide) return;
    panel.hidden = !wide;
    launch.hidden = wide;
    launch.setAttribute('aria-expanded', wide);
    if (wide) {
      panel.setAttribute('aria-modal', String(isPhone()));
      if (Date.now() - configured > CONFIG_MS) configure().then(draw, () => {});
      toEnd();
      focusFirst();
      markRead();
      visited = '';
      visit();
    } else launch.focus();
    emit(wide ? 'open' : 'close');
  };
  const focusFirst = () => (ask.hidden ? field : nameLabel.hidden ? emailField : nameField).focus();
  launch.addEventListener('click', () => show(true));
  close.addEventListener('click', () => show(false));
  mute.addEventListener('click', () => {
    muted = !muted;
    keep(`${HEARD}:mute`, muted);
    mute.setAttribute('aria-pressed', String(!muted));
  });
  panel.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') { event.stopPropagation(); show(false); }
    if (event.key !== 'Tab' || !isPhone()) return;
    // On a phone the chat covers the page, so the focus stays within.
    const stops = [...panel.querySelectorAll('button,a,input,textarea,[tabindex]')].filter((node) => node.getClientRects().length);
    const [from, to] = event.shiftKey ? [stops[0], stops.at(-1)] : [stops.at(-1), stops[0]];
    if (root.activeElement === from) { event.preventDefault(); to.focus(); }
  });
  // What the visitor or the website says about the visitor. It goes with the token, or with the next message.
  const introduce = (name, email) => {
    const who = { ...state.who, ...(name && { name: String(name) }), ...(email && { email: String(email) }) };
    const isNew = who.name !== state.who.name || who.email !== state.who.email;
    Object.assign(state, { who, fresh: state.fresh || (isNew && !!state.token) });
    save();
    drawQuestions();
  };
  ask.addEventListener('submit', (event) => {
    event.preventDefault();
    state.asked = true;
    introduce(nameField.value.trim(), emailField.value.trim());
    field.focus();
  });

  // Whether each message is the visitor's own, by id; and what shows one that is on its way, by client_id.
  const shown = new Map(), mine = new Map();
  let last = '', readByTeam = '';

  const link = (address, text, kind = '') =>
    el('a', { href: address, class: kind, target: '_blank', rel: 'noopener noreferrer' }, text);
  // A picture is shown where it was sent. One that does not load, perhaps because of the page's policy, is a link.
  const file = ({ type, media_url: address, filename }) => {
    const text = words.open(type), shows = link(address, filename || text, 'file');
    if (type !== 'image') return shows;
    const picture = el('img', { src: address, alt: text });
    picture.onload = () => { if (isLow(picture.offsetHeight)) toEnd(); };
    picture.onerror = () => shows.replaceChildren(text);
    shows.replaceChildren(picture);
    return shows;
  };
  // Every second part of what is split by an address is one.
  const linked = (text) => text.split(/(https?:\/\/[^\s<>"]*[^\s<>"'.,:;!?)\]])/i).map((part, at) => (at % 2 ? link(part, part) : part));
  const bubble = (text, isOwn) => el('div', { class: isOwn ? 'said mine' : 'said' },
    el('span', { class: 'unseen' }, isOwn ? words.you : words.them), ...linked(text || ''));
  const moment = (at) => {
    const when = new Date(at), day = when.toDateString() === new Date().toDateString() ? {} : { month: 'short', day: 'numeric' };
    return el('time', { datetime: at }, when.toLocaleString(locale(), { ...day, hour: '2-digit', minute: '2-digit' }));
  };
  const place = (node, id) => {
    const low = isLow(0);
    node.dataset.id = id;
    const others = [...log.children].filter((other) => other !== node && (other.matches('.waiting,.trouble') || other.dataset.id));
    const later = others.find((other) => !other.dataset.id || other.dataset.id > id) || null;
    if (!node.parentNode || node.nextSibling !== later) log.insertBefore(node, later);
    if (low) toEnd();
  };
  const receive = (message) => {
    const expected = message.client_id && settle(message.client_id);
    if (shown.has(message.id)) { expected?.remove(); return; }
    const isOwn = message.direction === 'inbound';
    const node = bubble(message.text, isOwn);
    if (/^https?:/i.test(message.media_url)) node.append(file(message));
    node.append(moment(message.created_at));
    if (expected) expected.replaceWith(node);
    shown.set(message.id, isOwn);
    place(node, message.id);
    if (message.id > last) last = message.id;
    if (!isOwn) drawTyping(false);
    drawEmpty();
    drawSeen();
    hear(message.id, isOwn);
    if (!isOwn) emit('message', message);
    markRead();
  };
  const clear = () => {
    for (const node of [...log.children]) if (node !== greeting && node !== empty) node.remove();
    shown.clear();
    mine.clear();
    last = readByTeam = '';
    drawEmpty();
  };
  // Below the visitor's last message, unless there is an answer to it.
  const drawSeen = () => {
    const newest = [...shown.keys()].sort().at(-1), low = isLow(0);
    if (!newest || !shown.get(newest) || mine.size || newest > readByTeam) return seen.remove();
    log.querySelector(`[data-id="${newest}"]`)?.after(seen);
    if (low) toEnd();
  };
  let typingEnds;
  const drawTyping = (isTyping) => {
    clearTimeout(typingEnds);
    typing.textContent = isTyping ? words.typing : '';
    if (isTyping) typingEnds = setTimeout(drawTyping, THEIR_TYPING_MS);
  };

  // A sound for a message that nobody looks at, on one of the open pages. Browsers allow it after a click.
  let audio;
  const wake = () => { try { audio ||= new AudioContext(); audio.resume(); } catch { /* no sound */ } };
  for (const act of ['pointerdown', 'keydown']) panel.addEventListener(act, wake, { once: true });
  launch.addEventListener('click', wake);
  const hear = (id, isOwn) => {
    const heard = kept(HEARD) || '';
    if (id <= heard) return;
    keep(HEARD, id);
    if (isOwn || !heard || muted || !config.plays_sound || isLookedAt() || !audio) return;
    const tone = audio.createOscillator(), volume = audio.createGain(), now = audio.currentTime;
    tone.frequency.value = 880;
    volume.gain.setValueAtTime(0.08, now);
    volume.gain.exponentialRampToValueAtTime(0.0001, now + 0.35);
    tone.connect(volume).connect(audio.destination);
    tone.start(now);
    tone.stop(now + 0.35);
    emit('sound');
  };

  const isLookedAt = () => !panel.hidden && document.visibilityState === 'visible';
  let reading, count = 0;
  const markRead = () => {
    const unread = [...shown].filter(([id, isOwn]) => !isOwn && id > state.read).map(([id]) => id).sort();
    const looks = isLookedAt(), now = looks ? 0 : unread.length;
    badge.hidden = !now;
    badge.textContent = news.textContent = now ? words.unread(now) : '';
    if (now !== count) emit('unread', (count = now));
    if (!looks || !unread.length) return;
    state.read = unread.at(-1);
    save();
    clearTimeout(reading);
    reading = setTimeout(() => call('read', { message_id: state.read }).catch(() => {}), 300);
  };

  const call = async (path, body, token = state.token) => {
    const headers = {}, isFile = body instanceof Blob;
    if (body) headers['Content-Type'] = isFile ? 'application/octet-stream' : 'application/json';
    if (token) headers.Authorization = `Bearer ${token}`;
    const answer = await fetch(new URL(path, base), {
      method: body ? 'POST' : 'GET', headers, body: isFile ? body : body && JSON.stringify(body), credentials: 'omit',
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
    const { token, read = '', user = null, asked, who } = kept(KEY) || {};
    if (token && token !== state.token) {
      stop();
      if (state.token) clear();
      Object.assign(state, { token, user, read: '' });
      listen();
    }
    if (asked && !state.asked) Object.assign(state, { asked, who });
    if (read > state.read) state.read = read;
    drawQuestions();
    markRead();
  };
  // Two pages that begin to talk at once are one visitor.
  let identity = null, signed = null;
  const alone = (work) => (navigator.locks ? navigator.locks.request(KEY, work) : work());
  const arrive = async () => {
    adopt();
    if (state.token) return;
    // A website's mistake about somebody is no reason not to hear them.
    const unknown = (error) => {
      if (error.status !== 400 && error.reason !== 'identity') throw error;
      signed = null;
      return call('visitors', {}, null);
    };
    const { name, email } = state.who;
    state.token = (await call('visitors', { name, email, ...signed }, null).catch(unknown)).token;
    state.user = signed && signed.user_id;
    save();
    listen();
  };

  // Who the website says the visitor is. What was tried before is sent first: it belongs to the previous visitor.
  const recognise = async ({ user, done }) => {
    await alone(async () => {
      adopt();
      const { name, email } = state.who;
      if (!state.token || state.user !== user.user_id) {
        const { token } = await call('visitors', { name, email, ...user }, state.user ? null : state.token);
        stop();
        clear();
        Object.assign(state, { token, user: user.user_id, read: '' });
        queue.forEach(expect);
      }
      signed = user;
      save();
      drawQuestions();
      listen();
    });
    if (identity?.user === user) identity = null;
    done();
  };
  const identify = ({ user_id, user_hash, name, email } = {}) => new Promise((done, fail) => {
    introduce(name, email);
    if (user_id === undefined || user_id === null) return done();
    identity?.fail(new Error('Another call has identified the visitor since.'));
    identity = { user: { user_id: String(user_id), user_hash }, done, fail };
    flush();
  });
  const forget = () => {
    stop();
    for (const key of unsent()) keep(key);
    queue = [];
    signed = null;
    Object.assign(state, NOBODY, { who: {} });
    clear();
    drawQuestions();
    markRead();
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
    const node = bubble(one.text || one.file.name, true);
    node.classList.add('waiting');
    mine.set(one.client_id, { node });
    log.append(node);
    seen.remove();
    drawEmpty();
    toEnd();
  };
  // What could not be sent is tried again by the next page, unless it was refused. A file is not kept.
  const fail = (one, why, refused) => {
    queue = queue.filter((other) => other !== one);
    if (refused) keep(`${KEY}:${one.client_id}`);
    const again = el('button', {}, words.again);
    const trouble = el('div', { class: 'trouble', role: 'alert' }, `${words.failed}${why} `, again);
    again.addEventListener('click', () => { trouble.remove(); queue.push(one); flush(); });
    const waits = mine.get(one.client_id);
    if (!waits) return;
    waits.trouble = trouble;
    waits.node.after(trouble);
    toEnd();
  };
  const reason = ({ status, reason: why }) => (why === 'file_type' ? words.type
    : why === 'files_off' || why === 'upload_storage_full' ? words.full
      : status === 413 ? words.large(config.file_bytes_max >> 20)
        : status === 422 ? words.closed : words.refused);
  const pause = (times) => Math.min(PAUSE_MS_MAX, 1000 * 2 ** times);
  const deliver = async (one) => {
    if (!state.token) await alone(arrive);
    if (!one.tried) {
      one.tried = true;
      if (one.text) keep(`${KEY}:${one.client_id}`, one);
    }
    const { client_id, text, file: attached } = one;
    const says = (who) => call('messages', { client_id, text, ...who });
    const unknown = (error) => { if (error.status === 400 && state.fresh) return says(); throw error; };
    receive(await (text ? says(state.fresh && state.who).catch(unknown)
      : call(`files?${new URLSearchParams({ client_id, name: attached.name.slice(-NAME_CHARS_MAX) })}`, attached)));
    settle(client_id);
    if (text && state.fresh) {
      state.fresh = false;
      save();
    }
    emit('sent', { client_id });
  };
  let sending = false, tries = 0, timer = 0;
  const flush = async () => {
    clearTimeout(timer);
    timer = 0;
    if (sending) return;
    if (!queue.length && !identity) say('');
    sending = true;
    while (queue.length || identity) {
      const wanted = identity, one = wanted && !queue[0]?.tried ? null : queue[0];
      try {
        if (one) await deliver(one); else await recognise(wanted);
        tries = 0;
        say('');
      } catch (error) {
        const often = error.status === 429;
        if (!often) tries += 1;
        const passes = !error.status || often || error.status >= 500 || error.reason === 'visitor_token';
        if (!passes || (tries >= TRIES_MAX && navigator.onLine)) {
          tries = 0;
          say('');
          if (one) fail(one, passes ? words.unreached : reason(error), !passes);
          else {
            console.error(`Frontdesk: the visitor is not identified. ${error.message}`);
            wanted.fail(error);
            if (identity === wanted) identity = null;
          }
          continue;
        }
        say(!navigator.onLine ? words.offline : often ? words.often : words.sending);
        timer = setTimeout(flush, error.reason === 'visitor_token' ? 0 : error.wait || pause(tries));
        break;
      }
    }
    sending = false;
  };
  // Begins with the time, so that what is kept can be put in order.
  const id = () => [Date.now(), ...crypto.getRandomValues(new Uint32Array(4))].map((n) => n.toString(36)).join('-');
  const enqueue = (one) => {
    queue.push(one);
    if (one.text) keep(`${KEY}:${one.client_id}`, one);
    expect(one);
    if (!timer) flush();
  };
  const sendFiles = (list) => {
    for (const one of list) {
      if (one.size > config.file_bytes_max) say(words.large(config.file_bytes_max >> 20));
      else enqueue({ client_id: id(), file: one });
    }
  };
  attach.addEventListener('click', () => files.click());
  files.addEventListener('change', () => { sendFiles(files.files); files.value = ''; field.focus(); });
  field.addEventListener('paste', (event) => {
    const { files: pasted } = event.clipboardData;
    if (pasted.length && config.accepts_files) { event.preventDefault(); sendFiles(pasted); }
  });
  panel.addEventListener('dragover', (event) => event.preventDefault());
  panel.addEventListener('drop', (event) => {
    event.preventDefault();
    if (config.accepts_files && !form.hidden) sendFiles(event.dataTransfer.files);
  });

  // That one types is told now and then while one does, once there is a conversation.
  let typed = 0;
  const tellTyping = (isTyping) => {
    if (!state.token || !shown.size || (isTyping ? Date.now() - typed < TYPING_MS : !typed)) return;
    typed = isTyping ? Date.now() : 0;
    call('typing', { typing: isTyping }).catch(() => {});
  };
  const grow = () => {
    field.style.height = 'auto';
    field.style.height = `${field.scrollHeight + 2}px`;
  };
  field.addEventListener('input', () => { grow(); tellTyping(field.value !== ''); });
  field.addEventListener('blur', () => tellTyping(false));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (!text) return;
    field.value = '';
    grow();
    typed = 0;
    enqueue({ client_id: id(), text });
  });
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) { event.preventDefault(); form.requestSubmit(); }
  });

  // The browser reconnects by itself and names the last message it got; where it gives up, this does. A page that
  // nobody looks at holds no connection, because browsers allow only a few to one server; it asks now and then.
  let source, waiting, lost = 0;
  const stop = () => { clearTimeout(waiting); source?.close(); source = null; };
  const listen = () => {
    if (source || !state.token || document.visibilityState === 'hidden') return;
    clearTimeout(waiting);
    const url = new URL('stream', base);
    url.searchParams.set('token', state.token);
    if (last) url.searchParams.set('after', last);
    const opened = (source = new EventSource(url));
    const on = (name, act) => opened.addEventListener(name, (event) => { if (source === opened) act(JSON.parse(event.data)); });
    source.onopen = () => { lost = 0; if (queue.length) flush(); else say(''); };
    on('message', receive);
    on('typing', (told) => drawTyping(told.typing));
    on('read', ({ message_id: up }) => { if (up > readByTeam) { readByTeam = up; drawSeen(); } });
    source.onerror = () => {
      if (!source) return;
      lost += 1;
      drawTyping(false);
      if (lost > 1) say(navigator.onLine ? words.connecting : words.offline);
      if (source.readyState !== EventSource.CLOSED) return;
      stop();
      // Asking tells a token that is no longer good from a server that is away.
      waiting = setTimeout(() => call('messages?limit=1').catch(() => {}).then(listen), pause(lost));
    };
  };
  const poll = () => {
    if (document.visibilityState !== 'hidden' || !state.token || !last) return;
    call(`messages?after=${last}`).then((found) => found.forEach(receive), () => {});
  };
  setInterval(poll, POLL_MS);
  // The page that the visitor is on, for the team, once there is a conversation. Looking now and then also sees pages that
  // change without a load, and never sends often. What an address was called with may be secret, so it stays here.
  let visited = '', visitable = 0;
  const visit = () => {
    const { protocol, origin, pathname } = location, title = [...document.title.trim()].slice(0, NAME_CHARS_MAX).join('');
    const page = { url: origin + pathname, ...(title && { title }) }, now = JSON.stringify(page);
    if (!config.shows_page || !state.token || !shown.size || document.visibilityState === 'hidden') return;
    if (now === visited || Date.now() < visitable || !/^https?:$/.test(protocol)) return;
    visited = now;
    visitable = Date.now() + PAGE_MS;
    call('page', page).catch(({ status, wait }) => {
      if (status !== 400) visited = '';
      visitable = Date.now() + (wait || PAUSE_MS_MAX);
    });
  };
  setInterval(visit, PAGE_MS / 4);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') { stop(); visited = ''; } else { listen(); markRead(); }
  });
  addEventListener('online', () => { say(''); stop(); listen(); flush(); });
  addEventListener('offline', () => say(words.offline));
  addEventListener('storage', (event) => {
    if (event.key !== KEY) return;
    if (event.newValue) adopt(); else forget();
  });

  const api = {
    open: () => show(true),
    close: () => show(false),
    identify,
    // The next visitor in this browser is somebody else.
    reset: () => { forget(); keep(KEY); keep(HEARD); },
    on: (name, handler) => {
      (handlers[name] ||= new Set()).add(handler);
      return () => handlers[name].delete(handler);
    },
  };
  const begin = () => {
    document.body.append(host);
    draw();
    queue.forEach(expect);
    listen();
    const { name, email, userId, userHash } = dataset;
    if (name || email || userId) identify({ name, email, user_id: userId, user_hash: userHash }).catch(() => {});
    flush();
    window.Frontdesk ||= api;
    dispatchEvent(new CustomEvent('frontdesk:ready'));
  };
  const configure = async () => {
    const answer = await fetch(new URL('config', base), { credentials: 'omit' });
    if (answer.status === 404) throw Object.assign(new Error('There is no such chat.'), { status: 404 });
    const { data } = await answer.json();
    if (data) config = { ...config, ...data };
    configured = Date.now();
  };
  const ready = () => { if (document.body) begin(); else addEventListener('DOMContentLoaded', begin); };
  // A chat that does not exist is reported to the page's owner, and visitors see nothing of it.
  configure().then(ready, ({ status }) => {
    if (status !== 404) return ready();
    console.error(`Frontdesk: ${base.origin} has no web chat with data-connection="${connection}". See "frontdesk channel list".`);
  });
})();
