'use strict';
// Runs the nodes of the package in a directory against a server: `node driver.cjs PACKAGE CASE`, with an object on standard
// input. Prints one object.

const { createServer } = require('node:http');
const { createHmac } = require('node:crypto');
const { join } = require('node:path');
const { readFileSync } = require('node:fs');

const { contextOf, evaluated } = require('./context.cjs');

const [directory, wanted] = process.argv.slice(2);
const manifest = require(join(directory, 'package.json'));
const load = (path) => {
  const classes = Object.values(require(join(directory, path)));
  return new classes[0]();
};
const [node, trigger] = manifest.n8n.nodes.map(load);
const credential = load(manifest.n8n.credentials[0]);
const input = JSON.parse(readFileSync(0, 'utf8'));
const credentials = { baseUrl: `${input.base_url}/`, apiKey: input.api_key };

/** Runs an operation with these parameters. */
async function run(resource, operation, values = {}, more = {}) {
  const all = { resource, operation, ...values };
  const context = contextOf({ node, credential, credentials, values: all, ...more });
  const [rows] = await node.execute.call(context);
  return { rows: rows.map((row) => row.json), requests: context.requests };
}

async function refused(work) {
  try {
    await work();
  } catch (error) {
    return { message: error.message, description: error.description ?? '', status: error.httpCode ?? null };
  }
  throw new Error('it was not refused');
}

const cases = {
  async operations() {
    const values = { additionalFields: { name: 'Ann Lee', phone: '+14155550123' } };
    const made = await run('contacts', 'create', values, { execution: '7' });
    const again = await run('contacts', 'create', values, { execution: '7' });
    const { id } = made.rows[0];
    const fields = { name: 'Ann Smith', company: null };
    const changed = await run('contacts', 'update', { contactId: id, additionalFields: fields });
    const tag = await run('tags', 'create', { name: 'vip' });
    const tagged = await run('contacts', 'addTags', { contactId: id, tagIds: JSON.stringify([tag.rows[0].id]) });
    const note = await run('contacts', 'createNote', { contactId: id, bodyField: 'Likes tea.' });
    const file = { bytes: Buffer.from('Hello'), mimeType: 'text/plain', fileName: 'hello.txt' };
    const uploaded = await run('media', 'upload', {}, { binary: file });
    return {
      made: made.rows[0],
      again: again.rows[0],
      changed: changed.rows[0],
      tagged: tagged.rows[0],
      note: note.rows[0],
      uploaded: uploaded.rows[0],
    };
  },

  async pages() {
    const all = await run('contacts', 'list', { returnAll: true });
    const some = await run('contacts', 'list', { limit: 3 });
    const found = await run('contacts', 'list', { returnAll: true, filters: { q: 'contact 7' } });
    return {
      all: all.rows.map((row) => row.id),
      requests: all.requests,
      some: some.rows.map((row) => row.id),
      found: found.rows.map((row) => row.name),
    };
  },

  async refusals() {
    const nobody = '00000000-0000-7000-8000-000000000000';
    const to = JSON.stringify({ phone: '+14155550199' });
    return {
      empty: await refused(() => run('contacts', 'create')),
      missing: await refused(() => run('contacts', 'get', { contactId: nobody })),
      escaped: await refused(() => run('contacts', 'get', { contactId: '../me' })),
      blank: await refused(() => run('contacts', 'get', { contactId: ' ' })),
      json: await refused(() => run('contacts', 'addTags', { contactId: nobody, tagIds: '[' })),
      union: await refused(() => run('messages', 'send', { type: 'text', to, text: 'Hello' })),
      test: evaluated(credential.test.request.baseURL, credentials) + credential.test.request.url,
    };
  },

  // How often each call is sent to a server that is unwell at first.
  async retries() {
    const id = '00000000-0000-7000-8000-000000000000';
    const calls = {
      get: ['get', { contactId: id }],
      update: ['update', { contactId: id, additionalFields: { name: 'Ann' } }],
      create: ['create', { additionalFields: { name: 'Ann' } }],
    };
    const sent = {};
    const server = createServer((request, response) => {
      const [, name, problem] = request.url.split('/');
      const place = `${name} ${problem}`;
      sent[place] = (sent[place] ?? 0) + 1;
      if (sent[place] > 1) return response.end('{"data":{}}');
      if (problem === 'broken') return request.socket.destroy();
      response.writeHead(Number(problem), { 'Retry-After': '0' }).end('{}');
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${server.address().port}`;
    const made = [];
    for (const [name, [operation, values]] of Object.entries(calls)) {
      for (const problem of ['429', '503', 'broken']) {
        const elsewhere = { ...credentials, baseUrl: `${origin}/${name}/${problem}` };
        made.push(run('contacts', operation, values, { credentials: elsewhere }).catch(() => {}));
      }
    }
    await Promise.all(made);
    server.close();
    return sent;
  },

  async trigger() {
    const [staticData, arrived, refusals] = [{}, [], []];
    const server = createServer(async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const context = contextOf({ node: trigger, credential, credentials, values: {}, staticData });
      context.getRequestObject = () => ({ rawBody: Buffer.concat(chunks) });
      context.getHeaderData = () => request.headers;
      context.getResponseObject = () => ({
        status(code) {
          response.statusCode = code;
          return this;
        },
        json: (body) => response.end(JSON.stringify(body)),
      });
      const outcome = await trigger.webhook.call(context);
      if (outcome.noWebhookResponse) return;
      arrived.push(...outcome.workflowData[0].map((row) => row.json));
      response.end();
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${server.address().port}/webhook/abc`;
    const hooks = trigger.webhookMethods.default;
    const withEvents = (events) =>
      contextOf({ node: trigger, credential, credentials, values: { events }, staticData, url });
    const came = async (count) => {
      for (let tries = 0; arrived.length < count; tries += 1) {
        if (tries === 400) throw new Error(`only ${arrived.length} events came`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };

    const existed = await hooks.checkExists.call(withEvents(['contact.created']));
    await hooks.create.call(withEvents(['contact.created']));
    const first = { ...staticData };
    const exists = await hooks.checkExists.call(withEvents(['contact.created']));
    await run('contacts', 'create', { additionalFields: { name: 'Ann Lee' } });
    await came(1);

    // Other bytes, another secret, an old signature, none at all; and a right one of an event that nobody knows.
    const sign = (id, seconds, body, secret) => {
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
      const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
      return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${signature}` };
    };
    const now = Math.floor(Date.now() / 1000);
    const body = JSON.stringify({ event_id: 'evt_1', event_type: 'moon.landed', data: { on: 'the moon' } });
    const right = sign('msg_1', now, body, staticData.secret);
    const forgeries = [
      [{ ...right }, body.replace('moon', 'mars')],
      [sign('msg_1', now, body, `whsec_${Buffer.alloc(32).toString('base64')}`), body],
      [sign('msg_1', now - 3600, body, staticData.secret), body],
      [sign('msg_1', now + 3600, body, staticData.secret), body],
      [{ ...right, 'webhook-signature': 'v1,' }, body],
      [{ ...right, 'webhook-signature': 'v2,AAAA' }, body],
      [{ ...right, 'webhook-id': 'msg_2' }, body],
      [{}, body],
      [{}, ''],
    ];
    for (const [headers, text] of forgeries) {
      refusals.push((await fetch(url, { method: 'POST', headers, body: text })).status);
    }
    const rotated = { ...right, 'webhook-signature': `v1,AAAA ${right['webhook-signature']}` };
    const unknown = (await fetch(url, { method: 'POST', headers: rotated, body })).status;
    await came(2);

    // Other events: the endpoint is made anew. Then the workflow is switched off, and nothing is left of it.
    const changed = await hooks.checkExists.call(withEvents(['contact.deleted']));
    const isGone = staticData.endpointId === undefined;
    await hooks.create.call(withEvents([]));
    const endpoints = (await run('webhooks', 'list')).rows;
    await hooks.delete.call(withEvents([]));
    const late = (await fetch(url, { method: 'POST', headers: rotated, body })).status;
    await hooks.delete.call(withEvents([]));
    server.closeAllConnections();
    server.close();
    return {
      existed, exists, first, arrived, refusals, unknown, changed, isGone, late, kept: staticData,
      endpoints: endpoints.map((endpoint) => [endpoint.url === url, endpoint.event_types]),
    };
  },
};

cases[wanted]().then(
  (outcome) => console.log(JSON.stringify(outcome)),
  (error) => {
    console.error(error);
    process.exitCode = 1;
  },
);
