import { describe, expect, it } from 'vitest';
import type { Delivery } from '@/api/schema';
import { curlOf, shellQuote } from './curl';
import { eventTime, requestBody } from './delivery';
import { SCOPE_NAMES } from './scopes';

const delivery: Delivery = {
  id: 'x1',
  event_id: 'evt_0190f3c2a1b27c3d8e4f5a6b7c8d9e0f',
  event_type: 'contact.created',
  status: 'pending',
  attempts: 1,
  next_attempt_at: '2026-01-31T09:35:00.000Z',
  last_status_code: 500,
  last_error: 'the endpoint answered 500',
  response_snippet: 'oops',
  duration_ms: 12,
  delivered_at: null,
  created_at: '2026-01-31T09:30:00.000Z',
  payload: { contact: { id: 'ann' } },
};

describe('the request of a delivery', () => {
  it('has the time that is in the id of the event', () => {
    expect(eventTime('evt_019c12f1a6c07abcdef0123456789abc')).toBe('2026-01-31T07:25:52.704Z');
  });
  it('is the envelope that the receiver gets', () => {
    expect(JSON.parse(requestBody(delivery, 'acme'))).toEqual({
      event_id: delivery.event_id,
      event_type: 'contact.created',
      created_at: eventTime(delivery.event_id),
      account_id: 'acme',
      api_version: 'v1',
      data: { contact: { id: 'ann' } },
    });
  });
});

describe('the command for a key', () => {
  it('asks for something that the key may read', () => {
    expect(curlOf('https://desk.example', ['deals:read'], 'frontdesk_live_x')).toBe(
      "curl 'https://desk.example/api/v1/deals?limit=5' \\\n  -H 'Authorization: Bearer frontdesk_live_x'",
    );
    for (const scope of SCOPE_NAMES) expect(curlOf('', [scope])).not.toContain("/me'");
    expect(curlOf('', [])).toContain('/api/v1/me');
  });
  it('reads the secret from the environment when it is no longer known', () => {
    expect(curlOf('', ['deals:read'])).toContain('$FRONTDESK_API_KEY');
  });
  it('is one word for the shell, whatever is in it', () => {
    expect(shellQuote("a'b $(x)")).toBe(`'a'\\''b $(x)'`);
  });
});
