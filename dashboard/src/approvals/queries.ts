import { infiniteQueryOptions, queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { call } from '@/api/client';
import type { Ask, Run } from '@/api/schema';
import { useCan } from '@/session/session';
import { type AskView, openCount } from './asks';

const ASK_PAGE_ROWS = 100;
/** Runs of one conversation that are looked through for asks: an older one that still waits is rare. */
const CONVERSATION_RUNS_MAX = 20;

export const asksQuery = (view: AskView) =>
  infiniteQueryOptions({
    queryKey: ['asks', view],
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /asks',
        {
          query: {
            ...(view === 'waiting' && { status: 'pending' as const }),
            limit: ASK_PAGE_ROWS,
            ...(pageParam && { cursor: pageParam }),
          },
        },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.meta.next_cursor ?? undefined,
  });

export const askQuery = (id: string) =>
  queryOptions({
    queryKey: ['ask', id],
    queryFn: async ({ signal }) => (await call('GET /asks/{id}', { path: { id } }, { signal })).data,
    // Events write into it.
    staleTime: Number.POSITIVE_INFINITY,
  });

export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ['run', id],
    queryFn: async ({ signal }) => (await call('GET /runs/{id}', { path: { id } }, { signal })).data,
  });

/** Runs that wait, in one request: what most asks belong to. */
const waitingRunsQuery = queryOptions({
  queryKey: ['waiting-runs'],
  queryFn: async ({ signal }) =>
    (await call('GET /runs', { query: { status: 'waiting', limit: 100 } }, { signal })).data,
});

/** What assistants wait for in a conversation. */
export const conversationAsksQuery = (conversationId: string) =>
  queryOptions({
    queryKey: ['conversation-asks', conversationId],
    queryFn: async ({ signal }): Promise<Ask[]> => {
      const query = { conversation_id: conversationId, limit: CONVERSATION_RUNS_MAX };
      const { data } = await call('GET /runs', { query }, { signal });
      return data.flatMap((run) => run.pending_asks);
    },
  });

/** A conversation as the API has it, for its channel and last message. */
export const askedConversationQuery = (id: string) =>
  queryOptions({
    queryKey: ['asked-conversation', id],
    queryFn: async ({ signal }) => (await call('GET /conversations/{id}', { path: { id } }, { signal })).data,
    staleTime: 0,
  });

/** How many asks wait for a person, for the badge. */
export function useOpenAskCount(): number {
  const can = useCan();
  return openCount(useInfiniteQuery({ ...asksQuery('waiting'), enabled: can('asks:read') }).data);
}

/** The run that an ask belongs to: the contact, the conversation and the goal. An ask of a program has none. */
export function useAskRun(ask: Ask): Run | undefined {
  const can = useCan();
  const waiting = useQuery({ ...waitingRunsQuery, enabled: can('runs:read') });
  const found = waiting.data?.find((run) => run.id === ask.run_id);
  const isMissing = ask.run_id !== null && waiting.isFetched && !found;
  const one = useQuery({ ...runQuery(ask.run_id ?? ''), enabled: isMissing });
  return found ?? one.data;
}
