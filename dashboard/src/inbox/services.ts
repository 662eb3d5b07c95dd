/** Drafts, chosen files and the outbox of the signed-in member. They outlive the inbox page. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { call } from '@/api/client';
import { upload } from '@/api/upload';
import { requestSync } from '@/device/sync';
import { useStreamState } from '@/live/state';
import { useSession } from '@/session/session';
import { isLeaving } from '@/session/tabs';
import { knownRow, rowAfter, setRow } from './cache';
import { Drafts } from './composer/drafts';
import { type ChosenFile, ChosenFiles } from './composer/files';
import { asShown, Outbox } from './outbox/outbox';
import type { Outgoing } from './outbox/outgoing';
import { indexedDbStore, memoryStore } from './outbox/store';
import { outboxChannel, tabsLock } from './outbox/tabs';
import { threadQuery } from './queries';
import { type ThreadPages, upsertMessage } from './thread/entries';

/** A request without an answer must not hold up those behind it for ever. */
const SEND_MS_MAX = 30_000;

interface Services {
  owner: string;
  client: QueryClient;
  drafts: Drafts;
  files: ChosenFiles;
  outbox: Outbox;
}

let services: Services | undefined;

/** Those of the signed-in member. Another member's are stopped: they must not be sent with this session. */
function useServices(): Services {
  const client = useQueryClient();
  const { account, user } = useSession();
  const owner = `${account.id}.${user.id}`;
  if (services?.owner !== owner || services.client !== client) {
    services?.outbox.stop();
    const drafts = new Drafts(localStorage, account.id, user.id);
    drafts.prune(Date.now());
    const outbox = createOutbox(client, owner, user.id);
    services = { owner, client, drafts, files: new ChosenFiles(), outbox };
  }
  return services;
}

export const useDrafts = (): Drafts => useServices().drafts;

export function useHasDraft(conversationId: string): boolean {
  const store = useDrafts();
  return useSyncExternalStore(store.subscribe, () => store.has(conversationId));
}

export function useChosenFiles(conversationId: string) {
  const { files } = useServices();
  return {
    files: useSyncExternalStore(files.subscribe, () => files.get(conversationId)),
    addFiles: (added: readonly ChosenFile[]) => files.add(conversationId, added),
    setFiles: (next: readonly ChosenFile[]) => files.set(conversationId, next),
  };
}

function createOutbox(client: QueryClient, owner: string, me: string): Outbox {
  return new Outbox({
    owner,
    store: typeof indexedDB === 'undefined' ? memoryStore() : indexedDbStore(indexedDB, owner),
    channel: outboxChannel(owner),
    lock: tabsLock(),
    upload: async (file) => (await upload(file)).url,
    send: async (request, idempotencyKey) =>
      (
        await call(
          'POST /messages',
          { body: request },
          { idempotencyKey, memberId: me, signal: AbortSignal.timeout(SEND_MS_MAX) },
        )
      ).data,
    onSent: (message, { file }) => {
      // The response does not describe the file.
      const media = file && { content_type: file.contentType, filename: file.name, size: file.size };
      const { queryKey } = threadQuery(message.conversation_id);
      client.setQueryData<ThreadPages>(
        queryKey,
        (data) => data && upsertMessage(data, { ...message, author_user_id: me, media }),
      );
      const row = knownRow(client, message.conversation_id);
      if (row) setRow(client, rowAfter(row, message), me);
    },
    now: Date.now,
    newId: () => crypto.randomUUID(),
    schedule: (task, milliseconds) => {
      const timer = setTimeout(task, milliseconds);
      return () => clearTimeout(timer);
    },
  });
}

export const useOutbox = (): Outbox => useServices().outbox;

const useEntries = (): readonly Outgoing[] => {
  const box = useOutbox();
  return useSyncExternalStore(box.subscribe, box.all);
};

export function useOutgoing(conversationId: string): Outgoing[] {
  const entries = useEntries();
  return useMemo(
    () => asShown(entries.filter((entry) => entry.conversationId === conversationId)),
    [entries, conversationId],
  );
}

/** How many messages are not sent, on their way or not. */
export const useUnsentCount = (): number => useEntries().length;

/** Whether a message to the customer is not sent and does not go out just now. */
export function useHasUnsent(conversationId: string): boolean {
  const box = useOutbox();
  const isUnsent = (entry: Outgoing) => entry.conversationId === conversationId && entry.state !== 'sending';
  return useSyncExternalStore(box.subscribe, () => box.all().some(isUnsent));
}

/** Sends what is in the outbox while a member is signed in, on whatever page. Mounted once. */
export function useRunOutbox(): void {
  const { outbox, drafts } = useServices();
  const connected = useStreamState() === 'open';
  useEffect(() => {
    const wake = () => outbox.wake();
    const changed = (event: StorageEvent) => drafts.changedElsewhere(event.key);
    // The browser asks before the page is left while a message is not sent: it would wait until the next visit.
    const guard = (event: BeforeUnloadEvent) => {
      if (outbox.all().length > 0 && !isLeaving()) event.preventDefault();
    };
    // A page may be closed before it has sent, so the worker is asked as soon as something waits.
    const unsubscribe = outbox.subscribe(() => {
      if (outbox.all().some(({ state }) => state === 'waiting')) void requestSync();
    });
    outbox.start();
    window.addEventListener('online', wake);
    window.addEventListener('storage', changed);
    window.addEventListener('beforeunload', guard);
    return () => {
      outbox.stop();
      unsubscribe();
      window.removeEventListener('online', wake);
      window.removeEventListener('storage', changed);
      window.removeEventListener('beforeunload', guard);
    };
  }, [outbox, drafts]);
  useEffect(() => {
    if (connected) outbox.wake();
  }, [outbox, connected]);
}
