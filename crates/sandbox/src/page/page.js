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
  ['Model overloaded', { on: 'model', kind: 'status', status: 529, times: 1 }],
];

const TICKS = { accepted: '·', sent: '✓', delivered: '✓✓', read: '✓✓', failed: '⚠' };

const at = (id) => document.getElementById(id);
const state = { connections: [], offered: '', shown: '', recent: '', faults: '' };

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
  if (!answer.ok) throw new Error((told.error && told.error.message) || 'The server answered ' + answer.status + '.');
  return told.data;
}

function notice(text, good) {
  at('notice').textContent = text;
  at('notice').className = good ? 'notice good' : 'notice';
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

function drawConnections(connections) {
  const now = JSON.stringify(connections);
  if (now === state.offered) return;
  state.offered = now;
  const before = at('connection').value;
  state.connections = connections;
  const label = (one) => [one.account_name, one.name, one.channel.replace('_', ' '), one.number].filter(Boolean).join(' · ');
  at('connection').replaceChildren(...connections.map((one) => make('option', { value: one.id }, label(one))));
  if (connections.some((one) => one.id === before)) at('connection').value = before;
  if (!connections.length) notice('No connection uses the sandbox yet. Connect one: frontdesk channel connect --channel whatsapp --sandbox');
}

function drawTitle() {
  const one = connection();
  at('title').textContent = one ? one.name || one.channel : 'No connection yet';
  at('subtitle').textContent = one ? customer() + ' writes over ' + one.channel.replace('_', ' ') : '';
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
  return make('li', { class: 'bubble ' + entry.from },
    make('span', { class: 'hidden' }, mine ? 'Customer: ' : 'Business: '),
    kind === 'text' ? null : make('span', { class: 'tag' }, kind),
    picture(entry.media), make('div', {}, text), foot);
}

async function markRead(id) {
  await call('POST', '/messages/' + encodeURIComponent(id) + '/read');
  await poll();
}

function drawChat(entries) {
  const now = JSON.stringify([at('connection').value, customer(), entries]);
  if (now === state.shown) return;
  state.shown = now;
  const log = at('log');
  const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
  const empty = make('li', { class: 'empty' }, 'Nothing was said yet. Write something below.');
  log.replaceChildren(...(entries.length ? entries.map(bubble) : [empty]));
  if (atEnd) log.scrollTop = log.scrollHeight;
}

function drawRecent(customers) {
  const now = JSON.stringify([customer(), customers]);
  if (now === state.recent) return;
  state.recent = now;
  at('customers').replaceChildren(...customers.map((one) => make('option', { value: one.id }, one.name || one.id)));
  const pick = (one) => () => {
    at('customer').value = one.id;
    at('name').value = one.name || '';
    poll();
  };
  at('recent').replaceChildren(...customers.slice(0, 12).map((one) => make('li', {},
    make('button', { type: 'button', 'aria-current': String(one.id === customer()), onclick: pick(one) },
      one.name || one.id, ' ', make('small', {}, one.name ? one.id : '')))));
}

function drawFaults(faults) {
  const now = JSON.stringify(faults);
  if (now === state.faults) return;
  state.faults = now;
  const words = (fault) => Object.entries(fault).map(([name, value]) => name + ': ' + value).join(', ');
  at('faults').replaceChildren(...faults.map((fault) => make('li', {}, words(fault))));
}

function drawSettings(settings) {
  at('manual').checked = settings.statuses === 'manual';
  at('scan').checked = settings.scan === 'manual';
}

let polling = false;
async function poll() {
  if (polling) return;
  polling = true;
  try {
    drawConnections(await call('GET', '/connections'));
    drawFaults((await call('GET', '/faults')).faults);
    drawSettings(await call('GET', '/settings'));
    drawTitle();
    if (connection()) {
      const query = new URLSearchParams({ connection_id: at('connection').value, customer: customer() });
      const chat = await call('GET', '/chat?' + query);
      drawRecent(chat.customers);
      drawChat(chat.entries);
      const unread = chat.entries.filter((one) => one.from === 'business' && one.status === 'delivered');
      if (at('autoread').checked && !document.hidden) {
        for (const entry of unread) await call('POST', '/messages/' + encodeURIComponent(entry.id) + '/read');
      }
    }
  } catch (error) {
    notice('The sandbox does not answer: ' + error.message);
  } finally {
    polling = false;
  }
}

async function say(content) {
  if (!customer()) throw new Error('Type a customer’s number first.');
  const body = { connection_id: at('connection').value, ...content };
  if (at('name').value.trim()) body.name = at('name').value.trim();
  try {
    await call('POST', '/customers/' + encodeURIComponent(customer()) + '/messages', body);
  } finally {
    await poll();
    at('log').scrollTop = at('log').scrollHeight;
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
  await say({ text });
  at('text').value = '';
}));

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
    notice('It is now ' + now + '.', true);
  }));
}

for (const input of ['connection', 'customer']) at(input).addEventListener('change', poll);

for (const example of document.querySelectorAll('pre, .reference code')) {
  example.textContent = example.textContent.replaceAll('ORIGIN', location.origin);
}

poll();
setInterval(() => { if (!document.hidden) poll(); }, POLL_MILLIS);
