import { queryOptions } from '@tanstack/react-query';
import { call } from '@/api/client';

export const assistantsQuery = queryOptions({
  queryKey: ['assistants'],
  queryFn: async ({ signal }) => (await call('GET /assistants', { query: { limit: 100 } }, { signal })).data,
});
