'use strict';
// What a node's parameters make of an operation: its path, query and body.

const { NodeOperationError } = require('n8n-workflow');

/** A value as it is sent. */
function valueOf(context, item, field, value) {
  if (!field.json || typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    throw new NodeOperationError(context.getNode(), `"${field.key}" must be JSON`, { itemIndex: item });
  }
}

/** The fields that are shown, and those that were added. Added ones that are blank are left out. */
function fieldsOf(context, item, fields, collection) {
  const read = {};
  for (const field of fields.required) {
    read[field.key] = valueOf(context, item, field, context.getNodeParameter(field.param, item));
  }
  if (fields.optional.length > 0) {
    const added = context.getNodeParameter(collection, item, {});
    for (const field of fields.optional) {
      const value = added[field.param];
      if (value !== undefined && !(value === '' && field.blankIsNone)) {
        read[field.key] = valueOf(context, item, field, value);
      }
    }
  }
  return read;
}

function pathOf(context, item, operation) {
  return operation.path_params.reduce((path, { placeholder, param }) => {
    const value = String(context.getNodeParameter(param, item)).trim();
    if (value === '') {
      throw new NodeOperationError(context.getNode(), `"${param}" must not be blank`, { itemIndex: item });
    }
    return path.replace(`{${placeholder}}`, encodeURIComponent(value));
  }, operation.path);
}

async function bodyOf(context, item, { body }) {
  if (!body) return undefined;
  if (body.file) {
    const name = context.getNodeParameter('binaryPropertyName', item);
    const binary = context.helpers.assertBinaryData(item, name);
    const bytes = await context.helpers.getBinaryDataBuffer(item, name);
    const form = new FormData();
    form.append('file', new Blob([bytes], { type: binary.mimeType }), binary.fileName ?? 'file');
    return form;
  }
  if (body.whole) return valueOf(context, item, { key: 'body', json: true }, context.getNodeParameter('body', item));
  if (!body.tag) {
    const read = fieldsOf(context, item, body, 'additionalFields');
    return Object.keys(read).length > 0 || body.required_body ? read : undefined;
  }
  const word = context.getNodeParameter(body.tag.param, item);
  return { [body.tag.key]: word, ...fieldsOf(context, item, body.variants[word], 'additionalFields') };
}

/** The request of an operation, without its idempotency key. */
async function requestOf(context, item, operation) {
  return {
    item,
    method: operation.method,
    path: pathOf(context, item, operation),
    query: fieldsOf(context, item, operation.query, 'filters'),
    body: await bodyOf(context, item, operation),
  };
}

module.exports = { requestOf };
