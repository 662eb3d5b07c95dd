import { queryOptions } from '@tanstack/react-query';
import { call } from '@/api/client';

export const templatesQuery = queryOptions({
  queryKey: ['templates'],
  queryFn: async ({ signal }) =>
    (await call('GET /templates', { query: { status: 'APPROVED' } }, { signal })).data,
});
