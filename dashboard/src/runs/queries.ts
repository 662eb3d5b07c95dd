import { queryOptions } from '@tanstack/react-query';
import { call } from '@/api/client';

const STEPS_MAX = 100;

export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ['run', id],
    queryFn: async ({ signal }) => (await call('GET /runs/{id}', { path: { id } }, { signal })).data,
  });

/** What happened in a run, the newest first. */
export const runStepsQuery = (id: string) =>
  queryOptions({
    queryKey: ['run-steps', id],
    queryFn: async ({ signal }) =>
      (await call('GET /runs/{id}/events', { path: { id }, query: { limit: STEPS_MAX } }, { signal })).data,
  });
