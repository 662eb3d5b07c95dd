import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call, type QueryOf } from '@/api/client';

const PAGE_ROWS = 50;
export type InquiryFilter = Pick<QueryOf<'GET /inquiries'>, 'status' | 'q'>;

export const inquiriesQuery = (filter: InquiryFilter) =>
  infiniteQueryOptions({
    queryKey: ['inquiries', filter],
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /inquiries',
        { query: { ...filter, limit: PAGE_ROWS, ...(pageParam && { cursor: pageParam }) } },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.meta.next_cursor ?? undefined,
  });

export const inquiryQuery = (id: string) =>
  queryOptions({
    queryKey: ['inquiry', id],
    queryFn: async ({ signal }) => (await call('GET /inquiries/{id}', { path: { id } }, { signal })).data,
  });

export const inquiryNotesQuery = (id: string) =>
  queryOptions({
    queryKey: ['inquiry-notes', id],
    queryFn: async ({ signal }) =>
      (await call('GET /inquiries/{id}/notes', { path: { id }, query: { limit: 100 } }, { signal })).data,
  });
