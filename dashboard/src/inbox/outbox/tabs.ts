/** What the tabs of a member, and a service worker, tell each other about the outbox. Free of React. */
import type { Message } from '@/api/schema';
import type { Outgoing } from './outgoing';

export type OutboxNotice =
  /** The store has changed. */
  | { kind: 'changed' }
  /** The server has taken a message. */
  | { kind: 'sent'; message: Message; outgoing: Outgoing };

/** Reaches the other tabs, not this one. */
export interface OutboxChannel {
  tell: (notice: OutboxNotice) => void;
  listen: (listener: (notice: OutboxNotice) => void) => () => void;
}

export function outboxChannel(owner: string): OutboxChannel {
  const name = `frontdesk.outbox.${owner}`;
  const sender = new BroadcastChannel(name);
  return {
    tell: (notice) => sender.postMessage(notice),
    listen: (listener) => {
      sender.onmessage = (event: MessageEvent<OutboxNotice>) => listener(event.data);
      return () => {
        sender.onmessage = null;
      };
    },
  };
}

/** Runs a task while no other one of the same name runs. */
export type Lock = <T>(name: string, task: () => Promise<T>) => Promise<T>;

/** A lock between the tasks of one page. */
export function pageLock(): Lock {
  const held = new Map<string, Promise<unknown>>();
  return async (name, task) => {
    const mine = (held.get(name) ?? Promise.resolve()).then(task);
    const over = mine.catch(() => undefined);
    held.set(name, over);
    try {
      return await mine;
    } finally {
      if (held.get(name) === over) held.delete(name);
    }
  };
}

/**
 * A lock between all tabs. Browsers have it on https and on localhost only. Elsewhere two tabs may send at the same
 * time, and the idempotency key alone keeps a message from being sent twice.
 */
export function tabsLock(): Lock {
  const { locks } = navigator;
  if (!locks) return pageLock();
  return (name, task) => locks.request(name, task);
}
