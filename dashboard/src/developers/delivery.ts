/** What a delivery sends, as the receiver gets it. */
import type { Delivery, DeliveryAttempt, DeliveryStatus } from '@/api/schema';

const TIME_DIGITS = 12;

/** The first 48 bits of an event's id are its time in milliseconds, as in every UUID of version 7. */
export function eventTime(eventId: string): string {
  return new Date(
    Number.parseInt(eventId.slice('evt_'.length, 'evt_'.length + TIME_DIGITS), 16),
  ).toISOString();
}

/** The body of the request: the same on every attempt. */
export function requestBody(delivery: Delivery, accountId: string): string {
  const envelope = {
    event_id: delivery.event_id,
    event_type: delivery.event_type,
    created_at: eventTime(delivery.event_id),
    account_id: accountId,
    api_version: 'v1',
    data: delivery.payload,
  };
  return JSON.stringify(envelope, null, 2);
}

/** The headers of the request. The last two are made anew for every attempt. */
export function requestHeaders(delivery: Delivery): Array<[name: string, value: string | null]> {
  return [
    ['content-type', 'application/json'],
    ['webhook-id', delivery.event_id],
    ['webhook-timestamp', null],
    ['webhook-signature', null],
  ];
}

/** Whether an attempt was accepted by the receiver. */
export function isAccepted({ status_code: code }: Pick<DeliveryAttempt, 'status_code'>): boolean {
  return code !== null && code >= 200 && code < 300;
}

export const DELIVERY_TONES: Record<DeliveryStatus, 'neutral' | 'accent' | 'danger' | 'warning' | 'success'> =
  {
    pending: 'accent',
    claimed: 'accent',
    succeeded: 'success',
    failed: 'danger',
    exhausted: 'danger',
  };
