'use strict';

const operations = require('../../generated/operations.json');
const properties = require('../../generated/properties.json');
const { requestOf } = require('./parameters.js');
const { idempotencyKeyOf, list, send } = require('./request.js');

/** Every operation of the API. */
class Frontdesk {
  constructor() {
    this.description = {
      displayName: 'Frontdesk',
      name: 'frontdesk',
      icon: 'file:frontdesk.svg',
      group: ['transform'],
      version: 1,
      subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
      description: 'Work with contacts, conversations, messages, deals and assistants',
      defaults: { name: 'Frontdesk' },
      usableAsTool: true,
      inputs: ['main'],
      outputs: ['main'],
      credentials: [{ name: 'frontdeskApi', required: true }],
      properties,
    };
  }

  async execute() {
    const returned = [];
    for (let item = 0; item < this.getInputData().length; item += 1) {
      try {
        const rows = await run(this, item);
        returned.push(...rows.map((json) => ({ json, pairedItem: { item } })));
      } catch (error) {
        if (!this.continueOnFail()) throw error;
        returned.push({ json: { error: error.message }, pairedItem: { item } });
      }
    }
    return [returned];
  }
}

/** The rows that an operation returns for an item. */
async function run(context, item) {
  const name = `${context.getNodeParameter('resource', item)}.${context.getNodeParameter('operation', item)}`;
  const operation = operations[name];
  const request = await requestOf(context, item, operation);
  if (operation.paginated) {
    const isWhole = context.getNodeParameter('returnAll', item);
    return list(context, request, isWhole ? undefined : context.getNodeParameter('limit', item));
  }
  if (operation.idempotent) request.idempotencyKey = idempotencyKeyOf(context, item, request);
  const { data } = await send(context, request);
  return operation.list ? data : [data ?? {}];
}

module.exports = { Frontdesk };
