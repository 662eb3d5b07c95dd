import { type QueryClient, queryOptions, useQueries } from '@tanstack/react-query';
import type { ConnectionDetail, TeamMember } from '@/api/app';
import { call } from '@/api/client';
import { connectionsQuery } from '@/session/queries';
import { teamQuery } from '@/settings/queries';
import type { Facts, Step } from './steps';

/** Whether an assistant has worked, for whatever reason. */
export const anyRunQuery = queryOptions({
  queryKey: ['first-steps', 'runs'],
  queryFn: async ({ signal }) =>
    (await call('GET /runs', { query: { limit: 1 } }, { signal })).data.length > 0,
});

/** Whether there are contacts who never wrote: they were imported or entered. */
export const anyContactQuery = queryOptions({
  queryKey: ['first-steps', 'contacts'],
  queryFn: async ({ signal }) => {
    const body = { rules: [{ field: 'last_inbound_at', op: 'is_not_set' as const }] };
    return (await call('POST /app/api/segments/preview', { body }, { signal })).data.total.count > 0;
  },
});

/** A sandbox channel is for trying; customers cannot reach it. */
const isReal = ({ status, sandbox }: ConnectionDetail) => status === 'connected' && !sandbox;
export const hasChannel = (connections: ConnectionDetail[]) => connections.some(isReal);
export const hasColleague = (team: TeamMember[]) =>
  team.filter(({ status }) => status !== 'removed').length > 1;

/** The facts of the steps, kept up to date. `error` is the first that could not be read. */
export function useFacts(steps: readonly Step[]): { facts: Facts; error: unknown; retry: () => void } {
  const asks = (step: Step) => ({ enabled: steps.includes(step) });
  const results = useQueries({
    queries: [
      { ...connectionsQuery, ...asks('channel') },
      { ...teamQuery, ...asks('invite') },
      { ...anyRunQuery, ...asks('assistant') },
      { ...anyContactQuery, ...asks('contacts') },
    ],
  });
  const [channels, team, runs, contacts] = results;
  return {
    facts: {
      channel: channels.data && hasChannel(channels.data),
      invite: team.data && hasColleague(team.data),
      assistant: runs.data,
      contacts: contacts.data,
    },
    error: results.find((result) => result.error && result.data === undefined)?.error ?? null,
    retry: () => {
      for (const result of results) if (result.isError) void result.refetch();
    },
  };
}

/** The facts, read once. */
export async function readFacts(client: QueryClient, steps: readonly Step[]): Promise<Facts> {
  const when = async (step: Step, read: () => Promise<boolean>) => steps.includes(step) && (await read());
  const [channel, invite, assistant, contacts] = await Promise.all([
    when('channel', async () => hasChannel(await client.ensureQueryData(connectionsQuery))),
    when('invite', async () => hasColleague(await client.ensureQueryData(teamQuery))),
    when('assistant', () => client.ensureQueryData(anyRunQuery)),
    when('contacts', () => client.ensureQueryData(anyContactQuery)),
  ]);
  return { channel, invite, assistant, contacts };
}
