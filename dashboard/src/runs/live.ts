/** Brings runs of the event stream into the lists and the page of a run. */
import type { QueryClient } from '@tanstack/react-query';
import type { Run } from '@/api/schema';
import { runQuery } from '@/approvals/queries';
import { refreshSoon } from '@/live/burst';
import type { LiveHandler } from '@/live/handler';
import { mergeRuns, type RunFilter, type RunPages } from './list';

/** Events after which other numbers of runs are active. */
const COUNTED: ReadonlySet<string> = new Set(['run.started', 'run.finished', 'ask.created', 'ask.answered']);

export const runsLive: LiveHandler = {
  apply({ events }, { client }) {
    const runs = new Map<string, Run>();
    for (const { event_type: type, data } of events) {
      if (type === 'run.started' || type === 'run.finished') runs.set(data.run.id, data.run);
      // The run goes on, or waits: no event says so.
      if (type === 'ask.created' || type === 'ask.answered') refreshRun(client, data.ask.run_id);
    }
    if (events.some(({ event_type: type }) => COUNTED.has(type))) refreshSoon(client, ['run-counts']);
    if (runs.size === 0) return;
    writeRuns(client, [...runs.values()]);
    for (const run of runs.values()) {
      client.setQueryData(runQuery(run.id).queryKey, (known) => known && run);
      refreshRun(client, run.id);
      if (run.parent_run_id) refreshRun(client, run.parent_run_id);
    }
    refreshSoon(client, ['run-tree']);
  },
};

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
