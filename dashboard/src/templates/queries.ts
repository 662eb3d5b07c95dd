import { queryOptions } from '@tanstack/react-query';
import { call } from '@/api/client';

/** Those that can be sent. */
export const templatesQuery = queryOptions({
  queryKey: ['templates'],
  queryFn: async ({ signal }) =>
    (await call('GET /templates', { query: { status: 'APPROVED' } }, { signal })).data,
});

/** Those that WhatsApp has not approved as well. */
export const allTemplatesQuery = queryOptions({
  queryKey: ['templates', 'all'],
  queryFn: async ({ signal }) => (await call('GET /templates', undefined, { signal })).data,
});
