'use strict';

const { randomUUID } = require('node:crypto');

const events = require('../../generated/events.json');
const { send } = require('./request.js');
const { isSigned } = require('./signature.js');

const WEBHOOKS = '/api/v1/webhooks';

/** Starts a workflow on events. Its webhook endpoint is made when the workflow is activated, and deleted when it is not. */
class FrontdeskTrigger {
  constructor() {
    this.description = {
      displayName: 'Frontdesk Trigger',
      name: 'frontdeskTrigger',
      icon: 'file:frontdesk.svg',
      group: ['trigger'],
      version: 1,
      subtitle: '={{$parameter["events"].join(", ")}}',
      description: 'Starts the workflow when something happens in Frontdesk',
      defaults: { name: 'Frontdesk Trigger' },
      inputs: [],
      outputs: ['main'],
      credentials: [{ name: 'frontdeskApi', required: true }],
      webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
      properties: [
        {
          displayName: 'Events',
          name: 'events',
          type: 'multiOptions',
          options: events,
          default: [],
          description: 'The events that start the workflow; all of them if none is chosen',
        },
      ],
    };
    this.webhookMethods = { default: { checkExists, create, delete: remove } };
  }

  async webhook() {
    const request = this.getRequestObject();
    if (!request.rawBody && request.readRawBody) await request.readRawBody();
    const { secret } = this.getWorkflowStaticData('node');
    const bytes = request.rawBody ?? Buffer.alloc(0);
    if (!isSigned(bytes, this.getHeaderData(), secret)) {
      this.getResponseObject().status(401).json({ message: 'The signature is not right.' });
      return { noWebhookResponse: true };
    }
    // Whatever its type is: a server may know events that this version does not.
    return { workflowData: [[{ json: JSON.parse(bytes.toString('utf8')) }]] };
  }
}

const isMissing = (error) => error.httpCode === '404';

/** Whether the endpoint of this workflow is there and as it should be. */
async function checkExists() {
  const kept = this.getWorkflowStaticData('node');
  if (!kept.endpointId || !kept.secret) return false;
  try {
    const { data } = await send(this, { method: 'GET', path: `${WEBHOOKS}/${kept.endpointId}` });
    const wanted = [...this.getNodeParameter('events', [])].sort();
    const isSame = data.enabled && data.url === this.getNodeWebhookUrl('default');
    if (isSame && JSON.stringify([...data.event_types].sort()) === JSON.stringify(wanted)) return true;
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  await remove.call(this);
  return false;
}

async function create() {
  const chosen = this.getNodeParameter('events', []);
  const body = {
    url: this.getNodeWebhookUrl('default'),
    description: `n8n: ${this.getWorkflow().name ?? this.getWorkflow().id ?? 'workflow'}`.slice(0, 500),
    ...(chosen.length > 0 ? { event_types: chosen } : {}),
  };
  // With a key, an attempt whose response is lost makes no second endpoint.
  const idempotencyKey = randomUUID();
  const { data } = await send(this, { method: 'POST', path: WEBHOOKS, body, idempotencyKey });
  Object.assign(this.getWorkflowStaticData('node'), { endpointId: data.id, secret: data.secret });
  return true;
}

async function remove() {
  const kept = this.getWorkflowStaticData('node');
  if (kept.endpointId) {
    try {
      await send(this, { method: 'DELETE', path: `${WEBHOOKS}/${kept.endpointId}` });
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  delete kept.endpointId;
  delete kept.secret;
  return true;
}

module.exports = { FrontdeskTrigger };
