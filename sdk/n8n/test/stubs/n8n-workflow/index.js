'use strict';
// The two errors of n8n-workflow that the nodes use, for tests without n8n. `make n8n` uses the real ones.

class NodeApiError extends Error {
  constructor(node, response, options) {
    super(options.message ?? response.message);
    Object.assign(this, { node, description: options.description, httpCode: options.httpCode ?? null });
  }
}

class NodeOperationError extends Error {
  constructor(node, message, options) {
    super(message);
    Object.assign(this, { node, itemIndex: options?.itemIndex });
  }
}

module.exports = { NodeApiError, NodeOperationError };
