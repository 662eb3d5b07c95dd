/** Sends what pages have left in the outbox, while none of them is open. */
import { call } from '@/api/client';
import { upload } from '@/api/upload';
import { Outbox } from '@/inbox/outbox/outbox';
import { indexedDbStore, ownersIn } from '@/inbox/outbox/store';
import { outboxChannel, tabsLock } from '@/inbox/outbox/tabs';

const SEND_MS_MAX = 30_000;

/**
 * The same outbox as in a page: the same store, keys and lock, so a page and the worker never send at the same time. The
 * server refuses a message of a member who is not signed in any more; it waits. True if nothing is left to try again.
 */
export async function sendOutboxes(factory: IDBFactory): Promise<boolean> {
  const owners = await ownersIn(factory);
  const sent = await Promise.all(owners.map((owner) => sendOutbox(factory, owner)));
  return sent.every(Boolean);
}

function sendOutbox(factory: IDBFactory, owner: string): Promise<boolean> {
  const memberId = owner.split('.')[1] ?? '';
  const outbox = new Outbox({
    owner,
    store: indexedDbStore(factory, owner),
    channel: outboxChannel(owner),
    lock: tabsLock(),
    upload: async (file) => (await upload(file)).url,
    send: async (request, idempotencyKey) => {
      const signal = AbortSignal.timeout(SEND_MS_MAX);
      return (await call('POST /messages', { body: request }, { idempotencyKey, memberId, signal })).data;
    },
    onSent: () => undefined,
    now: Date.now,
    newId: () => crypto.randomUUID(),
    schedule: () => () => undefined,
  });
  return outbox.sendStored();
}
