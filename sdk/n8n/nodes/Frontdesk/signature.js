'use strict';
// Signatures of webhooks, by the scheme of Standard Webhooks.

const { createHmac, timingSafeEqual } = require('node:crypto');

const TOLERANCE_SECONDS = 300;
const PREFIX = 'whsec_';

/** Whether these bytes were signed with this secret, just now. */
function isSigned(bytes, headers, secret, nowSeconds = Date.now() / 1000) {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const given = headers['webhook-signature'];
  if (!id || !given || !/^\d+$/.test(timestamp ?? '') || !secret?.startsWith(PREFIX)) return false;
  if (Math.abs(nowSeconds - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  if (key.length === 0) return false;
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(bytes).digest();
  // There are several while a secret is being exchanged.
  return given.split(' ').some((one) => {
    const [version, signature] = one.split(',');
    const bytes = Buffer.from(signature ?? '', 'base64');
    return version === 'v1' && bytes.length === expected.length && timingSafeEqual(bytes, expected);
  });
}

module.exports = { isSigned };
