/** Brings runs of the event stream into the lists and the page of a run. */
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type { Run } from '@/api/schema';
import { runQuery } from '@/approvals/queries';
import { refreshSoon } from '@/live/burst';
import { rowKey } from '@/live/changes';
import type { LiveHandler } from '@/live/handler';
import { mergeRuns, type RunFilter, type RunPages } from './list';
import type { RunTree } from './queries';

/** Events after which other numbers of runs are active. */
const COUNTED: ReadonlySet<string> = new Set(['run.started', 'run.finished', 'ask.created', 'ask.answered']);

export const runsLive: LiveHandler = {
  // The pages of the list are not read again, because there may be a thousand: the newest one is, and written into them.
  watches: {
    runs: (id, client) => [
      ['runs-head'],
      ['run-counts'],
      rowKey('run', id),
      rowKey('run-steps', id),
      ...treesWith(client, id),
      ...contactsWith(client, id),
    ],
  },
  apply({ events }, { client }) {
    const runs = new Map<string, Run>();
    for (const { event_type: type, data } of events) {
      if (type === 'run.started' || type === 'run.finished') runs.set(data.run.id, data.run);
      if (type === 'ask.created' || type === 'ask.answered') {
        if (data.ask.run_id !== null) refreshRun(client, data.ask.run_id);
      }
    }
    if (events.some(({ event_type: type }) => COUNTED.has(type))) refreshSoon(client, ['run-counts']);
    if (runs.size === 0) return;
    writeRuns(client, [...runs.values()]);
    refreshContacts(client, runs.values());
    for (const run of runs.values()) {
      client.setQueryData(runQuery(run.id).queryKey, (known) => known && run);
      refreshRun(client, run.id);
      if (run.parent_run_id) refreshRun(client, run.parent_run_id);
    }
    refreshSoon(client, ['run-tree']);
  },
};

const isIn = (id: string, { run, children }: RunTree): boolean =>
  run.id === id || children.some((child) => isIn(id, child));

/** The keys of the loaded trees that a run is in; without an id, of all. */
function treesWith(client: QueryClient, id: string | undefined): QueryKey[] {
  const loaded = client.getQueryCache().findAll({ queryKey: ['run-tree'] });
  const concerned = loaded.filter(({ state }) => !id || !state.data || isIn(id, state.data as RunTree));
  return concerned.map(({ queryKey }) => queryKey);
}

/** The keys of contacts' loaded runs that a run is among; without an id, of all. */
function contactsWith(client: QueryClient, id: string | undefined): QueryKey[] {
  const loaded = client.getQueryCache().findAll({ queryKey: ['contact-runs'] });
  const concerned = loaded.filter(
    ({ state }) => !id || !state.data || (state.data as Run[]).some((run) => run.id === id),
  );
  return concerned.map(({ queryKey }) => queryKey);
}

/** Only for contacts whose runs are loaded: there may be a thousand runs in a batch. */
function refreshContacts(client: QueryClient, runs: Iterable<Run>): void {
  for (const { contact_id } of runs) {
    const key = ['contact-runs', contact_id];
    if (contact_id && client.getQueryState(key)) refreshSoon(client, key);
  }
}

/** Writes runs into every loaded list. */
export function writeRuns(client: QueryClient, runs: readonly Run[]): void {
  for (const { queryKey } of client.getQueryCache().findAll({ queryKey: ['runs'] })) {
    const filter = (queryKey[1] ?? {}) as RunFilter;
    client.setQueryData<RunPages>(queryKey, (pages) => pages && mergeRuns(pages, runs, filter));
  }
}

function refreshRun(client: QueryClient, id: string): void {
  // Only for pages that are open: nothing is read for the others.
  for (const key of ['run', 'run-steps']) {
    if (client.getQueryCache().find({ queryKey: [key, id] })) refreshSoon(client, [key, id]);
  }
}
