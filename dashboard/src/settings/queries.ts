import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call } from '@/api/client';

export { accountQuery, connectionsQuery } from '@/session/queries';

const AUDIT_PAGE_ROWS = 50;
/** How often a phone that is being linked is asked for. */
const PAIRING_POLL_MS = 2_000;

export const auditLogQuery = infiniteQueryOptions({
  queryKey: ['audit-log'],
  queryFn: ({ pageParam, signal }) =>
    call(
      'GET /app/api/admin/audit-log',
      { query: { limit: AUDIT_PAGE_ROWS, ...(pageParam && { cursor: pageParam }) } },
      { signal },
    ),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page) => page.meta.next_cursor ?? undefined,
});

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => (await call('GET /app/api/sessions', undefined, { signal })).data,
});

export const teamQuery = queryOptions({
  queryKey: ['team'],
  queryFn: async ({ signal }) => (await call('GET /app/api/admin/members', undefined, { signal })).data,
});

/** Begins to link a phone, once. */
export const pairingStartQuery = (id: string) =>
  queryOptions({
    queryKey: ['pairing-start', id],
    queryFn: async () =>
      (await call('POST /app/api/admin/connections/{id}/pairing', { path: { id }, body: {} })).data,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });

export const pairingQuery = (id: string) =>
  queryOptions({
    queryKey: ['pairing', id],
    queryFn: async ({ signal }) =>
      (await call('GET /app/api/admin/connections/{id}/pairing', { path: { id } }, { signal })).data,
    refetchInterval: ({ state }) => (state.data?.status === 'waiting' ? PAIRING_POLL_MS : false),
    gcTime: 0,
  });
