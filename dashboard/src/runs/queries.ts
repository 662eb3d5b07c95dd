import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from '@/api/client';
import type { Run, RunEvent } from '@/api/schema';
import { runQuery } from '@/approvals/queries';
import type { RunFilter } from './list';

export const RUN_PAGE_ROWS = 100;
const STEP_PAGE_ROWS = 100;
/** Steps of one run that are read: the longest run allowed has fewer. */
const STEPS_MAX = 2_000;
/** Sub-runs of one run that are read, and levels of a tree. */
const CHILDREN_MAX = 100;
const DEPTH_MAX = 10;

/** Kept up to date by events and by `useFreshHead`: reading every loaded page again would be many requests. */
export const runsQuery = (filter: RunFilter) =>
  infiniteQueryOptions({
    queryKey: ['runs', filter],
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /runs',
        { query: { ...filter, limit: RUN_PAGE_ROWS, ...(pageParam && { cursor: pageParam }) } },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.meta.next_cursor ?? undefined,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });

/** Runs that are not over, by state. The others are not counted: there may be a hundred thousand. */
export const runCountsQuery = (assistantId: string | undefined) =>
  queryOptions({
    queryKey: ['run-counts', assistantId ?? 'all'],
    queryFn: async ({ signal }) => {
      const query = assistantId ? { assistant_id: assistantId } : {};
      return (await call('GET /app/api/runs/counts', { query }, { signal })).data;
    },
    placeholderData: (before) => before,
  });

/** Every step of a run, the oldest first. Only those after the newest known one are read again. */
export const runStepsQuery = (client: QueryClient, id: string) => {
  const queryKey = ['run-steps', id] as const;
  return queryOptions({
    queryKey,
    queryFn: async ({ signal }): Promise<RunEvent[]> => {
      const known = client.getQueryData<RunEvent[]>(queryKey) ?? [];
      const newest = known.at(-1)?.id;
      const fresh: RunEvent[] = [];
      let cursor: string | null = null;
      do {
        const query = { limit: STEP_PAGE_ROWS, ...(cursor && { cursor }) };
        const page: { data: RunEvent[]; meta: { next_cursor: string | null } } = await call(
          'GET /runs/{id}/events',
          { path: { id }, query },
          { signal },
        );
        const at = page.data.findIndex((step) => step.id === newest);
        fresh.push(...(at < 0 ? page.data : page.data.slice(0, at)));
        cursor = at < 0 ? page.meta.next_cursor : null;
      } while (cursor && fresh.length < STEPS_MAX);
      return fresh.length > 0 ? [...known, ...fresh.toReversed()] : known;
    },
  });
};

export interface RunTree {
  run: Run;
  children: RunTree[];
}

/** The tree that a run belongs to, from its root. */
export const runTreeQuery = (client: QueryClient, id: string) =>
  queryOptions({
    queryKey: ['run-tree', id],
    queryFn: async ({ signal }): Promise<RunTree> => {
      let run = await client.fetchQuery(runQuery(id));
      for (let level = 0; run.parent_run_id && level < DEPTH_MAX; level += 1)
        run = (await call('GET /runs/{id}', { path: { id: run.parent_run_id } }, { signal })).data;
      const grow = async (parent: Run, depth: number): Promise<RunTree> => {
        if (depth >= DEPTH_MAX) return { run: parent, children: [] };
        const query = { parent_run_id: parent.id, limit: CHILDREN_MAX };
        const { data } = await call('GET /runs', { query }, { signal });
        const children = await Promise.all(data.toReversed().map((child) => grow(child, depth + 1)));
        return { run: parent, children };
      };
      return grow(run, 0);
    },
  });

export { runQuery };
