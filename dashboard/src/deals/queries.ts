import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call } from '@/api/client';
import type { DealStatus } from '@/api/schema';
import { type BoardFilter, columnFilter } from './board';

const COLUMN_PAGE_ROWS = 100;

/** The deals of one column. */
export const columnQuery = (columnId: string, filter: BoardFilter) =>
  infiniteQueryOptions({
    queryKey: ['column', columnId, filter],
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /deals',
        {
          query: {
            ...filter,
            ...columnFilter(columnId),
            limit: COLUMN_PAGE_ROWS,
            ...(pageParam && { cursor: pageParam }),
          },
        },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.meta.next_cursor ?? undefined,
  });

/** Counts and sums by stage, of the open deals or of those with an outcome. */
export const totalsQuery = (filter: BoardFilter, status: DealStatus = 'open') =>
  queryOptions({
    queryKey: ['deal-totals', filter, status],
    queryFn: async ({ signal }) =>
      (await call('GET /app/api/deals/totals', { query: { ...filter, status } }, { signal })).data,
  });

export const dealQuery = (id: string) =>
  queryOptions({
    queryKey: ['deal', id],
    queryFn: async ({ signal }) => (await call('GET /deals/{id}', { path: { id } }, { signal })).data,
  });

const CHANGE_PAGE_ROWS = 50;

/** What happened to a deal, newest first. */
export const dealChangesQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['deal-changes', id],
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /app/api/deals/{id}/changes',
        { path: { id }, query: { limit: CHANGE_PAGE_ROWS, ...(pageParam && { cursor: pageParam }) } },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.meta.next_cursor ?? undefined,
  });
