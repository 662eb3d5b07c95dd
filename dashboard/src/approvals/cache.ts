/** Writes asks into whatever shows them. */
import type { QueryClient } from '@tanstack/react-query';
import type { Ask, Run } from '@/api/schema';
import { refreshIfReading, refreshSoon } from '@/live/burst';
import { ASK_VIEWS, isOpen, upsertAsk } from './asks';
import { askQuery, asksQuery, runQuery } from './queries';

export function putAsk(client: QueryClient, ask: Ask): void {
  for (const view of ASK_VIEWS) {
    const { queryKey } = asksQuery(view);
    client.setQueryData(queryKey, (pages) => pages && upsertAsk(pages, ask, view));
    refreshIfReading(client, queryKey);
  }
  // A conversation shows an answered ask until it is left, with who answered.
  client.setQueriesData<Ask[]>({ queryKey: ['conversation-asks'] }, (asks) =>
    asks?.map((other) => (other.id === ask.id ? ask : other)),
  );
  client.setQueryData(askQuery(ask.id).queryKey, (known) => known && ask);
  if (ask.run_id !== null) {
    client.setQueryData(runQuery(ask.run_id).queryKey, (run) => run && withAsk(run, ask));
  }
  if (isOpen(ask)) {
    // The event does not say which conversation it belongs to.
    refreshSoon(client, ['conversation-asks']);
    refreshSoon(client, ['waiting-runs']);
  }
}

/** A run with what it waits for: an ask that is over is no longer among that. */
export function withAsk(run: Run, ask: Ask): Run {
  const others = run.pending_asks.filter((other) => other.id !== ask.id);
  return { ...run, pending_asks: isOpen(ask) ? [...others, ask] : others };
}
