/** Reads what a conversation shows before it is opened, so that switching does not wait for the network. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { conversationNotesQuery, threadQuery } from './queries';

/** A pointer that only passes over a row asks for nothing. */
const HOVER_MS = 60;
/** The open conversation goes first. */
const NEIGHBOURS_MS = 150;

function prefetch(client: QueryClient, conversationId: string): void {
  void client.prefetchInfiniteQuery(threadQuery(conversationId));
  void client.prefetchQuery(conversationNotesQuery(conversationId));
}

/** For a row of the list: the pointer on it announces the click. */
export function usePrefetchOnHover(conversationId: string): {
  onPointerEnter: () => void;
  onPointerLeave: () => void;
} {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    onPointerEnter: () => {
      timer.current = setTimeout(() => prefetch(client, conversationId), HOVER_MS);
    },
    onPointerLeave: () => clearTimeout(timer.current),
  };
}

/** The conversations that the next keys lead to. */
export function usePrefetchNeighbours(openId: string | undefined, neighbours: readonly string[]): void {
  const client = useQueryClient();
  const latest = useRef(neighbours);
  latest.current = neighbours;
  useEffect(() => {
    if (!openId) return;
    const timer = setTimeout(() => {
      for (const id of latest.current) prefetch(client, id);
    }, NEIGHBOURS_MS);
    return () => clearTimeout(timer);
  }, [client, openId]);
}
