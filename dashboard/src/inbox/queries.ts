import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { InboxFilter } from '@/api/app';
import { call } from '@/api/client';
import type { Page } from '@/api/shapes';
import { type InboxPages, shareRows } from './rows';

export const INBOX_PAGE_ROWS = 100;
export const THREAD_PAGE_ROWS = 50;

const nextCursor = (page: Page<unknown>) => page.meta.next_cursor ?? undefined;

export const inboxQuery = (filter: InboxFilter) =>
  infiniteQueryOptions({
    queryKey: ['inbox', filter],
    structuralSharing: (old, data) => shareRows(old as InboxPages | undefined, data as InboxPages),
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /app/api/inbox',
        { query: { ...filter, limit: INBOX_PAGE_ROWS, ...(pageParam && { cursor: pageParam }) } },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: nextCursor,
  });

export const inboxRowQuery = (conversationId: string) =>
  queryOptions({
    queryKey: ['inbox-row', conversationId],
    queryFn: async ({ signal }) =>
      (
        await call(
          'GET /app/api/inbox/{conversation_id}',
          { path: { conversation_id: conversationId } },
          { signal },
        )
      ).data,
  });

export const countsQuery = queryOptions({
  queryKey: ['inbox-counts'],
  queryFn: async ({ signal }) => (await call('GET /app/api/inbox/counts', undefined, { signal })).data,
});

export const threadQuery = (conversationId: string) =>
  infiniteQueryOptions({
    queryKey: ['thread', conversationId],
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /app/api/conversations/{id}/messages',
        {
          path: { id: conversationId },
          query: { limit: THREAD_PAGE_ROWS, ...(pageParam && { cursor: pageParam }) },
        },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: nextCursor,
  });

export const conversationNotesQuery = (conversationId: string) =>
  queryOptions({
    queryKey: ['conversation-notes', conversationId],
    queryFn: async ({ signal }) =>
      (
        await call(
          'GET /conversations/{id}/notes',
          { path: { id: conversationId }, query: { limit: 100 } },
          { signal },
        )
      ).data,
  });

/** When it was closed, reopened, assigned and handed over: the newest, as far back as a thread is usually read. */
export const conversationChangesQuery = (conversationId: string) =>
  queryOptions({
    queryKey: ['conversation-changes', conversationId],
    queryFn: async ({ signal }) =>
      (
        await call(
          'GET /app/api/conversations/{id}/changes',
          { path: { id: conversationId }, query: { limit: 100 } },
          { signal },
        )
      ).data,
  });

/** The last pages of the website that a web-chat visitor was on. */
export const visitedPagesQuery = (conversationId: string) =>
  queryOptions({
    queryKey: ['visited-pages', conversationId],
    queryFn: async ({ signal }) =>
      (await call('GET /app/api/conversations/{id}/pages', { path: { id: conversationId } }, { signal }))
        .data,
  });

export const cannedQuery = queryOptions({
  queryKey: ['canned-replies'],
  queryFn: async ({ signal }) => (await call('GET /canned-replies', undefined, { signal })).data,
});

/** When a message was sent, delivered and read. */
export const messageStatusesQuery = (id: string) =>
  queryOptions({
    queryKey: ['statuses', id],
    queryFn: async ({ signal }) =>
      (await call('GET /messages/{id}/statuses', { path: { id } }, { signal })).data,
    staleTime: 0,
  });

export const sandboxQuery = queryOptions({
  queryKey: ['sandbox'],
  queryFn: async ({ signal }) => (await call('GET /app/api/sandbox', undefined, { signal })).data,
  retry: false,
});
