/** Drafts and the outbox of the signed-in member. They outlive the inbox page. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { call } from '@/api/client';
import { upload } from '@/api/upload';
import { useSession } from '@/session/session';
import { knownRow, rowAfter, setRow } from './cache';
import { Drafts } from './composer/drafts';
import { Outbox, type Outgoing } from './outbox';
import { threadQuery } from './queries';
import { type ThreadPages, upsertMessage } from './thread/entries';

let drafts: { owner: string; value: Drafts } | undefined;

export function useDrafts(): Drafts {
  const { account, user } = useSession();
  const owner = `${account.id}.${user.id}`;
  if (drafts?.owner !== owner) {
    drafts = { owner, value: new Drafts(localStorage, account.id, user.id) };
    drafts.value.prune(Date.now());
  }
  return drafts.value;
}

export function useHasDraft(conversationId: string): boolean {
  const store = useDrafts();
  return useSyncExternalStore(store.subscribe, () => store.has(conversationId));
}

let outbox: { owner: string; value: Outbox } | undefined;

function createOutbox(client: QueryClient, me: string): Outbox {
  return new Outbox(
    {
      upload: async (file) => (await upload(file)).url,
      send: async (request, idempotencyKey) =>
        (await call('POST /messages', { body: request }, { idempotencyKey })).data,
    },
    (message, { file }) => {
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
  );
}

export function useOutbox(): Outbox {
  const client = useQueryClient();
  const { account, user } = useSession();
  const owner = `${account.id}.${user.id}`;
  if (outbox?.owner !== owner) outbox = { owner, value: createOutbox(client, user.id) };
  return outbox.value;
}

export function useOutgoing(conversationId: string): Outgoing[] {
  const box = useOutbox();
  const all = useSyncExternalStore(box.subscribe, box.all);
  return all.filter((entry) => entry.conversationId === conversationId);
}

/** The browser asks before the page is left while a message is not sent. */
export function useGuardUnsent(): void {
  const box = useOutbox();
  useEffect(() => {
    const guard = (event: BeforeUnloadEvent) => {
      if (box.all().length > 0) event.preventDefault();
    };
    window.addEventListener('beforeunload', guard);
    return () => window.removeEventListener('beforeunload', guard);
  }, [box]);
}
