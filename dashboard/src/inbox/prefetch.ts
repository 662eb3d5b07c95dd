/** Reads what a conversation shows before it is opened, so that switching does not wait for the network. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { InboxRow } from '@/api/app';
import { contactDealsQuery, contactNotesQuery, contactQuery } from '@/contacts/queries';
import { sessionQuery } from '@/session/queries';
import { isPanelOpen } from './panel';
import { conversationNotesQuery, threadQuery } from './queries';

/** A pointer that only passes over a row asks for nothing. */
const HOVER_MS = 60;
/** How many conversations after the open one are read: two, so that the next one is there when the server is slow. */
const AHEAD = 2;
const BEHIND = 1;
/** The open conversation goes first, and somebody who holds a key down passes most rows by. */
const WALKING_MS = 50;
/** Somebody who came from elsewhere in the list reads the conversation first. Each row costs some requests. */
const STAYING_MS = 1000;

/** The conversation before stays on screen this long; then the new one is shown while its thread is read. */
const OPEN_MS_MAX = 150;

/** What is beside the thread, as far as this member sees it. */
export interface Beside {
  panel: boolean;
  deals: boolean;
}

/**
 * Reads one thing after the other, so that requests of the open conversation need not queue behind these. Only what
 * events keep current is read ahead: the rest of the contact panel is read when it is opened.
 */
export async function prefetch(
  client: QueryClient,
  { conversation, contact }: InboxRow,
  beside: Beside,
  isWanted: () => boolean = () => true,
): Promise<void> {
  const steps = [
    () => client.prefetchInfiniteQuery(threadQuery(conversation.id)),
    () => client.prefetchQuery(conversationNotesQuery(conversation.id)),
    () => client.prefetchQuery(contactQuery(contact.id)),
    ...(beside.panel ? [() => client.prefetchQuery(contactNotesQuery(contact.id))] : []),
    ...(beside.panel && beside.deals ? [() => client.prefetchQuery(contactDealsQuery(contact.id))] : []),
  ];
  for (const step of steps) {
    if (!isWanted()) return;
    await step();
  }
}

/** Reads what the thread shows before the page changes, so that the page is drawn once. It never fails. */
export async function readThread(client: QueryClient, conversationId: string): Promise<void> {
  const read = Promise.all([
    client.prefetchInfiniteQuery(threadQuery(conversationId)),
    client.prefetchQuery(conversationNotesQuery(conversationId)),
  ]);
  const late = new Promise((done) => setTimeout(done, OPEN_MS_MAX));
  await Promise.race([read, late]);
}

/** The rows that the next keys lead to, likeliest first. */
export function neighboursOf(rows: readonly InboxRow[], openId: string): InboxRow[] {
  const at = rows.findIndex((row) => row.conversation.id === openId);
  if (at < 0) return [];
  const [next, ...later] = rows.slice(at + 1, at + 1 + AHEAD);
  const before = rows.slice(Math.max(0, at - BEHIND), at);
  return [...(next ? [next] : []), ...before, ...later];
}

/** Reads the neighbours once the thread of the open conversation has come. */
export async function prefetchNeighbours(
  client: QueryClient,
  openId: string,
  neighbours: () => readonly InboxRow[],
  beside: Beside,
  isWanted: () => boolean,
): Promise<void> {
  await client.prefetchInfiniteQuery(threadQuery(openId));
  for (const row of neighbours()) {
    if (!isWanted()) return;
    await prefetch(client, row, beside, isWanted);
  }
}

function shownBeside(client: QueryClient): Beside {
  const scopes = client.getQueryData(sessionQuery.queryKey)?.scopes ?? [];
  return { panel: isPanelOpen(), deals: scopes.includes('deals:read') };
}

/** For a row of the list: the pointer or the focus on it announces that it is opened. */
export function usePrefetchOnIntent(row: InboxRow): {
  onPointerEnter: () => void;
  onPointerLeave: () => void;
  onPointerDown: () => void;
  onFocus: () => void;
} {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const soon = (milliseconds: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void prefetch(client, row, shownBeside(client)), milliseconds);
  };
  return {
    onPointerEnter: () => soon(HOVER_MS),
    onPointerLeave: () => clearTimeout(timer.current),
    onPointerDown: () => soon(0),
    onFocus: () => soon(HOVER_MS),
  };
}

export function usePrefetchNeighbours(openId: string | undefined, rows: readonly InboxRow[]): void {
  const client = useQueryClient();
  const latest = useRef(rows);
  latest.current = rows;
  const before = useRef(openId);
  useEffect(() => {
    const walks =
      before.current &&
      neighboursOf(latest.current, before.current).some((row) => row.conversation.id === openId);
    before.current = openId;
    if (!openId) return;
    let left = false;
    const neighbours = () => neighboursOf(latest.current, openId);
    const timer = setTimeout(
      () => {
        void prefetchNeighbours(client, openId, neighbours, shownBeside(client), () => !left);
      },
      walks ? WALKING_MS : STAYING_MS,
    );
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [client, openId]);
}
