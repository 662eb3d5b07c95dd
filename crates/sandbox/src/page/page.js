'use strict';
// The page polls once a second and redraws only what changed. What people wrote is only ever set as text.

const POLL_MILLIS = 1000;
const FILE_BYTES_MAX = 16 * 1024 * 1024;

const PRESETS = [
  ['Rate limit 3 sends', { on: 'send', kind: 'error', code: 130429, times: 3, retry_after: 1 }],
  ['Refuse a token', { on: 'send', kind: 'error', code: 190, times: 1 }],
  ['Server error once', { on: 'send', kind: 'status', status: 503, times: 1 }],
  ['Undeliverable', { on: 'webhook', kind: 'error', code: 131026, times: 1 }],
  ['Cut before accepting', { on: 'send', kind: 'cut', times: 1 }],
  ['Cut after accepting', { on: 'send', kind: 'cut_after', times: 1 }],
  ['Answer 5 s late', { on: 'send', kind: 'delay', millis: 5000, times: 1 }],
  ['Webhooks twice', { on: 'webhook', kind: 'duplicate_webhook' }],
  ['Statuses out of order', { on: 'webhook', kind: 'reorder_statuses' }],
];

const CHANNELS = { whatsapp: 'WhatsApp', personal_whatsapp: 'personal WhatsApp', messenger: 'Messenger', instagram: 'Instagram' };
const TICKS = { accepted: '·', sent: '✓', delivered: '✓✓', read: '✓✓', failed: '⚠' };

const at = (id) => document.getElementById(id);
const state = { connections: [], offered: '', recent: '', faults: '', chat: '', isPicked: false };
// What is shown of each entry of the chat, by its id.
const shown = new Map();

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === 'onclick') element.addEventListener('click', value);
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

async function call(method, path, body) {
  const options = { method };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers = { 'content-type': 'application/json' };
  }
  const answer = await fetch('/sandbox' + path, options);
  const told = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    const message = (told.error && told.error.message) || 'The server answered ' + answer.status + '.';
    throw Object.assign(new Error(message), { status: answer.status });
  }
  return told.data;
}

function notice(text, kind) {
  at('notice').textContent = text;
  at('notice').className = 'notice ' + (kind || '');
}

// What is wrong with the page as a whole: told until it is over, and then no longer.
function trouble(text) {
  const isTold = at('notice').classList.contains('trouble');
  if (text && at('notice').textContent !== text) notice(text, 'trouble');
  if (!text && isTold) notice('');
}

// Does what was clicked, and says what went wrong.
const attempt = (work) => async (event) => {
  try {
    notice('');
    await work(event);
  } catch (error) {
    notice(error.message);
  }
};

const connection = () => state.connections.find((one) => one.id === at('connection').value);
const customer = () => at('customer').value.trim();
const channel = (one) => CHANNELS[one.channel] || one.channel;
const chosen = () => JSON.stringify([at('connection').value, customer()]);

function drawConnections(connections) {
  const now = JSON.stringify(connections);
  if (now === state.offered) return;
  state.offered = now;
  const before = at('connection').value;
  state.connections = connections;
  const isOneAccount = new Set(connections.map((one) => one.account_name)).size < 2;
  const number = (one) => (String(one.name).includes(one.number) ? '' : one.number);
  const off = (one) => (one.status === 'disconnected' ? 'disconnected' : '');
  const label = (one) => [one.name || channel(one), number(one), isOneAccount ? '' : one.account_name, off(one)].filter(Boolean).join(' · ');
  at('connection').replaceChildren(...connections.map((one) => make('option', { value: one.id }, label(one))));
  if (connections.some((one) => one.id === before)) at('connection').value = before;
}

function drawState() {
  const one = connection();
  const isOff = Boolean(one) && one.status === 'disconnected';
  const reason = ((isOff && one.disconnected_reason) || 'disconnected').replace(/\.$/, '');
  const off = /^disconnected/i.test(reason) ? 'D' + reason.slice(1) : 'Disconnected: ' + reason;
  const text = !one ? '' : isOff
    ? off + '. What customers write arrives; nothing is sent to them. Reconnect it: frontdesk channel reconnect ' + one.id
    : 'Connected';
  if (at('state').textContent !== text) at('state').textContent = text;
  at('state').hidden = !one;
  at('state').classList.toggle('off', isOff);
  at('send').disabled = at('text').disabled = at('file').disabled = !one;
  at('scan-label').hidden = !state.connections.some((other) => other.channel === 'personal_whatsapp');
}

function drawTitle() {
  const one = connection();
  at('title').textContent = one ? one.name || channel(one) : 'No connection yet';
  at('subtitle').textContent = one && customer() ? 'You are ' + customer() + ' on ' + channel(one) : '';
}

function picture(media) {
  if (!media || !media.link) return null;
  let address;
  try {
    address = new URL(media.link, location.href);
  } catch {
    return make('span', {}, media.link);
  }
  if (!/^https?:$/.test(address.protocol)) return make('span', {}, media.link);
  const name = media.filename || media.kind || 'media';
  if ((media.kind === 'image' || media.kind === 'sticker') && address.origin === location.origin) {
    return make('img', { src: address.href, alt: name });
  }
  return make('a', { href: address.href, target: '_blank', rel: 'noopener noreferrer' }, name);
}

function bubble(entry) {
  const mine = entry.from === 'customer';
  const status = mine ? (entry.seen ? 'read' : 'delivered') : entry.status;
  const words = mine ? (entry.seen ? 'read by the business' : 'delivered') : status + (entry.error_code ? ' ' + entry.error_code : '');
  const text = entry.text || (entry.media && entry.media.caption) || '';
  const read = make('button', { type: 'button', onclick: attempt(() => markRead(entry.id)) }, 'Mark read');
  const foot = make('div', { class: 'foot' },
    make('time', { datetime: entry.at }, new Date(entry.at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })),
    make('span', { class: 'ticks ' + status, 'aria-hidden': 'true' }, TICKS[status] || ''),
    make('span', { class: mine ? 'hidden' : '' }, words),
    !mine && status !== 'read' && status !== 'failed' ? read : null);
  const kind = entry.template ? 'template ' + entry.template : entry.type;
  return make('div', { class: 'bubble ' + entry.from },
    make('span', { class: 'hidden' }, mine ? 'Customer: ' : 'Business: '),
    kind === 'text' ? null : make('span', { class: 'tag' }, kind),
    picture(entry.media), make('div', {}, text), foot);
}

async function markRead(id) {
  await call('POST', '/messages/' + encodeURIComponent(id) + '/read');
  await poll();
}

// Whoever reads the end of the chat goes on reading its end, also when pictures take their place.
let follows = true, before = 0;
const toEnd = () => { at('log').scrollTop = at('log').scrollHeight; };
at('log').addEventListener('scroll', () => {
  const { scrollTop, scrollHeight, clientHeight } = at('log');
  if (scrollHeight - scrollTop - clientHeight < 80) follows = true;
  else if (scrollTop < before) follows = false;
  before = scrollTop;
});
at('log').addEventListener('load', () => { if (follows) toEnd(); }, true);

// Only what changed is drawn anew: the rest keeps its selection and focus, and is not read out again.
function drawChat(entries) {
  const log = at('log');
  const isOther = state.chat !== chosen();
  follows ||= isOther;
  if (isOther) shown.clear();
  state.chat = chosen();
  let isChanged = isOther;
  const nodes = entries.map((entry) => {
    const now = JSON.stringify(entry);
    let known = shown.get(entry.id);
    if (!known || known.now !== now) {
      isChanged = true;
      const node = bubble(entry);
      if (known) {
        node.classList.add('again');
        if (known.node.contains(document.activeElement)) log.focus();
      }
      known = { now, node };
      shown.set(entry.id, known);
    }
    return known.node;
  });
  if (!isChanged && nodes.length === log.children.length) return;
  if (!nodes.length) nodes.push(make('div', { class: 'empty' }, 'Nothing was said yet. Write something below.'));
  for (const node of [...log.children]) if (!nodes.includes(node)) node.remove();
  nodes.forEach((node, place) => { if (log.children[place] !== node) log.insertBefore(node, log.children[place] || null); });
  if (follows) toEnd();
}

function drawRecent(customers) {
  const now = JSON.stringify([customer(), customers]);
  if (now === state.recent) return;
  state.recent = now;
  // Until somebody is picked, one is whoever was last spoken with.
  if (!state.isPicked && customers.length && customers[0].id !== customer()) {
    at('customer').value = customers[0].id;
    again = true;
  }
  at('customers').replaceChildren(...customers.map((one) => make('option', { value: one.id }, one.name || one.id)));
  const pick = (one) => () => {
    state.isPicked = true;
    at('customer').value = one.id;
    at('name').value = one.name || '';
    poll();
  };
  at('recent').replaceChildren(...customers.slice(0, 12).map((one) => make('li', {},
    make('button', { type: 'button', 'aria-current': String(one.id === customer()), onclick: pick(one) },
      one.name || one.id, ' ', make('small', {}, one.name ? one.id : '')))));
  if (!customers.length) at('recent').append(make('li', { class: 'hint' }, 'Nobody yet.'));
}

function drawFaults(faults) {
  const now = JSON.stringify(faults);
  if (now === state.faults) return;
  state.faults = now;
  const words = ({ on, kind, ...rest }) => [on + ' ' + kind, ...Object.entries(rest).map(([name, value]) => name + ' ' + value)].join(', ');
  at('faults').replaceChildren(...faults.map((fault) => make('li', {}, words(fault))));
  at('heal').hidden = !faults.length;
}

function drawSettings(settings) {
  at('manual').checked = settings.statuses === 'manual';
  at('scan').checked = settings.scan === 'manual';
  at('clock').hidden = !settings.movable_clock;
  at('clock-hint').hidden = settings.movable_clock;
}

// One look at a time; whoever asks for one meanwhile gets another after it.
let looking = null, again = false;
function poll() {
  if (looking) {
    again = true;
    return looking.then(() => looking);
  }
  again = false;
  looking = look().finally(() => {
    looking = null;
    if (again) poll();
  });
  return looking;
}

async function look() {
  try {
    drawConnections(await call('GET', '/connections'));
    drawFaults((await call('GET', '/faults')).faults);
    drawSettings(await call('GET', '/settings'));
    drawTitle();
    drawState();
    trouble(connection() ? '' : 'No connection uses the sandbox yet. Connect one: frontdesk channel connect --channel whatsapp --sandbox');
    if (connection()) await lookAtChat();
  } catch (error) {
    // A refusal says itself what to do.
    trouble(error.status ? error.message : 'The server cannot be reached: ' + error.message);
    at('send').disabled = true;
  }
}

async function lookAtChat() {
  const whose = chosen();
  const query = new URLSearchParams({ connection_id: at('connection').value, customer: customer() });
  const chat = await call('GET', '/chat?' + query);
  if (chosen() !== whose) return;
  drawRecent(chat.customers);
  if (chosen() !== whose) return;
  drawChat(chat.entries);
  if (!at('autoread').checked || document.hidden) return;
  for (const entry of chat.entries.filter((one) => one.from === 'business' && one.status === 'delivered')) {
    await call('POST', '/messages/' + encodeURIComponent(entry.id) + '/read');
  }
}

async function say(content) {
  if (!customer()) throw new Error('Type a customer’s number first.');
  state.isPicked = true;
  const body = { connection_id: at('connection').value, ...content };
  if (at('name').value.trim()) body.name = at('name').value.trim();
  try {
    await call('POST', '/customers/' + encodeURIComponent(customer()) + '/messages', body);
  } finally {
    await poll();
    toEnd();
  }
}

function attachment(file) {
  const type = file.type || 'application/octet-stream';
  const kind = ['image', 'video', 'audio'].find((one) => type.startsWith(one + '/')) || 'document';
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(new Error('The file cannot be read.'));
    reader.onload = () => {
      const base64 = String(reader.result).split(',')[1] || '';
      resolve({ media: { kind, content_type: type, filename: file.name, base64 } });
    };
    reader.readAsDataURL(file);
  });
}

at('say').addEventListener('submit', attempt(async (event) => {
  event.preventDefault();
  const text = at('text').value.trim();
  if (!text) return;
  write('');
  try {
    await say({ text });
  } catch (error) {
    if (!at('text').value) write(text);
    throw error;
  }
}));

// The field is as high as what is in it, up to what its style allows.
function grow() {
  at('text').style.height = 'auto';
  at('text').style.height = at('text').scrollHeight + 2 + 'px';
  if (follows) toEnd();
}
function write(text) {
  at('text').value = text;
  grow();
}
at('text').addEventListener('input', grow);

at('text').addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    at('say').requestSubmit();
  }
});

at('file').addEventListener('change', attempt(async () => {
  const file = at('file').files[0];
  at('file').value = '';
  if (!file) return;
  if (file.size > FILE_BYTES_MAX) throw new Error('A file has at most 16 MiB.');
  await say(await attachment(file));
}));

at('presets').append(...PRESETS.map(([label, fault]) => make('button', {
  type: 'button',
  onclick: attempt(async () => {
    const { faults } = await call('GET', '/faults');
    await call('PUT', '/faults', { faults: [...faults, fault] });
    await poll();
  }),
}, label)));

at('heal').addEventListener('click', attempt(async () => {
  await call('DELETE', '/faults');
  await poll();
}));

at('manual').addEventListener('change', attempt(() => call('PUT', '/settings', { statuses: at('manual').checked ? 'manual' : 'auto' })));
at('scan').addEventListener('change', attempt(() => call('PUT', '/settings', { scan: at('scan').checked ? 'manual' : 'auto' })));

for (const button of document.querySelectorAll('[data-advance]')) {
  button.addEventListener('click', attempt(async () => {
    const { now } = await call('POST', '/clock', { advance_seconds: Number(button.dataset.advance) });
    notice('It is now ' + new Date(now).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' }) + '.', 'good');
  }));
}

at('connection').addEventListener('change', poll);
at('customer').addEventListener('change', poll);
at('customer').addEventListener('input', () => { state.isPicked = true; });

for (const example of document.querySelectorAll('pre, .reference code')) {
  example.textContent = example.textContent.replaceAll('ORIGIN', location.origin);
}

poll();
setInterval(() => { if (!document.hidden && !looking) poll(); }, POLL_MILLIS);
