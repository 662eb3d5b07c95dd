import { queryOptions } from '@tanstack/react-query';
import { call } from '@/api/client';

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }) => (await call('GET /app/api/session', undefined, { signal })).data,
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: async ({ signal }) => (await call('GET /members', undefined, { signal })).data,
  staleTime: 5 * 60_000,
});

/** What the page may offer besides email and password. */
export const signInOptionsQuery = queryOptions({
  queryKey: ['sign-in'],
  queryFn: async ({ signal }) => (await call('GET /app/api/sign-in', undefined, { signal })).data,
  staleTime: 60_000,
  retry: false,
});

/** What the one-time link of an invitation or a reset is for. */
export const linkQuery = (token: string) =>
  queryOptions({
    queryKey: ['link', token],
    queryFn: async ({ signal }) =>
      (await call('POST /app/api/invitation/check', { body: { token } }, { signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });

/** For owners and admins. */
export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: async ({ signal }) => (await call('GET /app/api/admin/account', undefined, { signal })).data,
});

/** For owners and admins. */
export const connectionsQuery = queryOptions({
  queryKey: ['connections'],
  queryFn: async ({ signal }) => (await call('GET /app/api/admin/connections', undefined, { signal })).data,
});
