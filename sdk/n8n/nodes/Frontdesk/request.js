'use strict';
// Requests to the API: retries, pages and errors.
//
// A request that the server refused with 429 is made again, because nothing was done. After a 503 or a broken connection it is
// made again only if that has no second effect: it reads, it is a PUT or DELETE, or it has an idempotency key.

const { createHash, randomUUID } = require('node:crypto');
const { setTimeout: sleep } = require('node:timers/promises');
const { NodeApiError } = require('n8n-workflow');

const ATTEMPTS_MAX = 5;
const WAIT_SECONDS_MAX = 60;
const PAGE_ROWS_MAX = 100;
const REQUEST_MILLIS_MAX = 90_000;
const REPEATABLE = ['GET', 'PUT', 'DELETE'];

/** Sends a request, and returns the body of the response. */
async function send(context, { method, path, query, body, idempotencyKey, item = 0 }) {
  const { baseUrl } = await context.getCredentials('frontdeskApi');
  const headers = { Accept: 'application/json' };
  if (idempotencyKey) headers['Idempotency-Key'] = idempotencyKey;
  const options = {
    method,
    url: `${baseUrl.trim().replace(/\/+$/, '')}${path}`,
    headers,
    qs: query,
    body,
    json: true,
    timeout: REQUEST_MILLIS_MAX,
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    // A redirect could send the key to another host.
    disableFollowRedirect: true,
  };
  const isRepeatable = REPEATABLE.includes(method) || Boolean(idempotencyKey);
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === ATTEMPTS_MAX;
    let response;
    try {
      response = await context.helpers.httpRequestWithAuthentication.call(context, 'frontdeskApi', options);
    } catch (error) {
      if (isLast || !isRepeatable) throw failure(context, item, { message: `The server was not reached: ${error.message}` });
      await sleep(250 * 2 ** attempt);
      continue;
    }
    if (response.statusCode >= 200 && response.statusCode < 300) return response.body ?? {};
    const wait = Number(response.headers?.['retry-after']);
    const isForNow = response.statusCode === 429 || (response.statusCode === 503 && isRepeatable);
    if (isForNow && !isLast && wait >= 0 && wait <= WAIT_SECONDS_MAX) {
      await sleep(Math.max(wait, 1) * 1000);
      continue;
    }
    throw refusal(context, item, response);
  }
}

/** The error that the server answered. */
function refusal(context, item, response) {
  const told = response.body?.error;
  if (!told?.message) {
    const message = `The server answered ${response.statusCode}, and not as Frontdesk does. Is the base URL right?`;
    return failure(context, item, { message, httpCode: String(response.statusCode) });
  }
  const details = (told.details ?? []).filter((one) => one.message).map((one) => `${one.path} ${one.message}`.trim());
  const reason = told.reason ? ` (${told.reason})` : '';
  return failure(context, item, {
    message: `${told.message}${reason}`,
    description: [...details, `Request ${told.request_id}`].join('\n'),
    httpCode: String(response.statusCode),
  });
}

function failure(context, item, { message, description, httpCode }) {
  return new NodeApiError(context.getNode(), { message }, { message, description, httpCode, itemIndex: item });
}

/** Every row of a list, or as many as are wanted. */
async function list(context, request, limit = Infinity) {
  const rows = [];
  let cursor;
  do {
    const wanted = Math.min(PAGE_ROWS_MAX, limit - rows.length);
    const query = { ...request.query, limit: wanted, ...(cursor ? { cursor } : {}) };
    const page = await send(context, { ...request, query });
    rows.push(...page.data);
    cursor = page.meta.next_cursor;
  } while (cursor && rows.length < limit);
  return rows;
}

/**
 * The idempotency key of an item. It is the same when n8n tries the node again in the same execution, so that a retry has no
 * second effect.
 */
function idempotencyKeyOf(context, item, request) {
  const execution = context.getExecutionId?.();
  if (!execution) return randomUUID();
  const run = context.getWorkflowDataProxy?.(item)?.$runIndex ?? 0;
  const parts = [context.getInstanceId?.(), context.getWorkflow().id, execution, context.getNode().id, run, item, request];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

module.exports = { send, list, idempotencyKeyOf };
