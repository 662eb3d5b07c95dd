import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from '@/api/client';
import { draftOf } from './draft';

const MEMORY_PAGE_ROWS = 50;
const VERSION_PAGE_ROWS = 50;
const LIBRARY_MAX = 100;

export const assistantQuery = (id: string) =>
  queryOptions({
    queryKey: ['assistant', id],
    queryFn: async ({ signal }) => (await call('GET /assistants/{id}', { path: { id } }, { signal })).data,
  });

export const assistantToolsQuery = (id: string) =>
  queryOptions({
    queryKey: ['assistant-tools', id],
    queryFn: async ({ signal }) =>
      (await call('GET /assistants/{id}/tools', { path: { id } }, { signal })).data,
  });

export const assistantInstructionsQuery = (id: string) =>
  queryOptions({
    queryKey: ['assistant-instructions', id],
    queryFn: async ({ signal }) =>
      (await call('GET /assistants/{id}/instructions', { path: { id } }, { signal })).data,
  });

/** Everything that the editor changes, as it is stored now. */
export async function readStored(client: QueryClient, id: string) {
  const [assistant, tools, instructions] = await Promise.all([
    client.fetchQuery({ ...assistantQuery(id), staleTime: 0 }),
    client.fetchQuery({ ...assistantToolsQuery(id), staleTime: 0 }),
    client.fetchQuery({ ...assistantInstructionsQuery(id), staleTime: 0 }),
  ]);
  return { tools, stored: draftOf(assistant, tools, instructions) };
}

/** Instructions that any assistant can follow. */
export const libraryQuery = queryOptions({
  queryKey: ['instructions'],
  queryFn: async ({ signal }) =>
    (await call('GET /instructions', { query: { limit: LIBRARY_MAX } }, { signal })).data,
});

export const memoriesQuery = (assistantId: string, q: string) =>
  infiniteQueryOptions({
    queryKey: ['memories', assistantId, q],
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /memories',
        {
          query: {
            assistant_id: assistantId,
            ...(q && { q }),
            limit: MEMORY_PAGE_ROWS,
            ...(pageParam && { cursor: pageParam }),
          },
        },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.meta.next_cursor ?? undefined,
  });

/** What the assistant was after each change. Another change reads the list again. */
export const versionsQuery = (id: string, updatedAt: string) =>
  infiniteQueryOptions({
    queryKey: ['assistant-versions', id, updatedAt],
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /app/api/assistants/{id}/versions',
        { path: { id }, query: { limit: VERSION_PAGE_ROWS, ...(pageParam && { cursor: pageParam }) } },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.meta.next_cursor ?? undefined,
    placeholderData: (before) => before,
  });

/** A version never changes. */
export const versionQuery = (id: string, versionId: string) =>
  queryOptions({
    queryKey: ['assistant-version', id, versionId],
    queryFn: async ({ signal }) =>
      (
        await call(
          'GET /app/api/assistants/{id}/versions/{version_id}',
          { path: { id, version_id: versionId } },
          { signal },
        )
      ).data,
    staleTime: Number.POSITIVE_INFINITY,
  });
