import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call } from '@/api/client';
import type { BoardFilter } from './board';

const COLUMN_PAGE_ROWS = 100;

export const pipelinesQuery = queryOptions({
  queryKey: ['pipelines'],
  queryFn: async ({ signal }) => (await call('GET /pipelines', undefined, { signal })).data,
  staleTime: 5 * 60_000,
});

/** The open deals of one stage. */
export const columnQuery = (stageId: string, filter: BoardFilter) =>
  infiniteQueryOptions({
    queryKey: ['column', stageId, filter],
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /deals',
        {
          query: {
            ...filter,
            stage_id: stageId,
            status: 'open',
            limit: COLUMN_PAGE_ROWS,
            ...(pageParam && { cursor: pageParam }),
          },
        },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.meta.next_cursor ?? undefined,
  });

export const totalsQuery = (filter: BoardFilter) =>
  queryOptions({
    queryKey: ['deal-totals', filter],
    queryFn: async ({ signal }) =>
      (await call('GET /app/api/deals/totals', { query: { ...filter } }, { signal })).data,
  });

export const dealQuery = (id: string) =>
  queryOptions({
    queryKey: ['deal', id],
    queryFn: async ({ signal }) => (await call('GET /deals/{id}', { path: { id } }, { signal })).data,
  });
