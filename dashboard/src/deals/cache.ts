import type { QueryClient } from '@tanstack/react-query';
import type { Deal } from '@/api/schema';
import { refreshIfReading, refreshSoon } from '@/live/burst';
import { type BoardFilter, type DealPages, inColumn, placeDeal } from './board';

/** Brings a deal that changed into every column on screen, unless something newer is known of it. */
export function applyDeal(client: QueryClient, deal: Deal, deleted = false): void {
  // The response to our own move may come after the event of a colleague's later one.
  const columns = client.getQueriesData<DealPages>({ queryKey: ['column'] });
  const known = client.getQueryData<Deal>(['deal', deal.id]) ?? shownDeal(columns, deal.id);
  if (known && !deleted && deal.updated_at < known.updated_at) return;
  if (deleted) client.removeQueries({ queryKey: ['deal', deal.id] });
  else client.setQueryData<Deal>(['deal', deal.id], (open) => open && deal);
  for (const [key, data] of columns) {
    if (!data) continue;
    const [, columnId, filter] = key as [string, string, BoardFilter];
    const shown = data.pages.some((page) => page.data.some((other) => other.id === deal.id));
    const keep = !deleted && (inColumn(deal, columnId, filter) ?? shown);
    if (keep || shown) client.setQueryData(key, placeDeal(data, deal, keep));
  }
  refreshIfReading(client, ['deal', deal.id]);
  refreshIfReading(client, ['column']);
  refreshSoon(client, ['deal-totals']);
  // Also that of the contact that the deal belonged to before.
  refreshSoon(client, ['contact-deals']);
}

function shownDeal(columns: Array<[unknown, DealPages | undefined]>, id: string): Deal | undefined {
  for (const [, data] of columns) {
    for (const page of data?.pages ?? []) {
      const found = page.data.find((deal) => deal.id === id);
      if (found) return found;
    }
  }
  return undefined;
}
