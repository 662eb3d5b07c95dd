import type { QueryClient } from '@tanstack/react-query';
import type { Deal } from '@/api/schema';
import { type BoardFilter, type DealPages, inColumn, placeDeal } from './board';

/** Brings a deal that changed into every column on screen, unless something newer is known of it. */
export function applyDeal(client: QueryClient, deal: Deal, deleted = false): void {
  // The response to our own move may come after the event of a colleague's later one.
  const known = client.getQueryData<Deal>(['deal', deal.id]);
  if (known && !deleted && deal.updated_at < known.updated_at) return;
  if (deleted) client.removeQueries({ queryKey: ['deal', deal.id] });
  else client.setQueryData(['deal', deal.id], deal);
  for (const [key, data] of client.getQueriesData<DealPages>({ queryKey: ['column'] })) {
    if (!data) continue;
    const [, stageId, filter] = key as [string, string, BoardFilter];
    const shown = data.pages.some((page) => page.data.some((other) => other.id === deal.id));
    const keep = !deleted && (inColumn(deal, stageId, filter) ?? shown);
    if (keep || shown) client.setQueryData(key, placeDeal(data, deal, keep));
  }
  void client.invalidateQueries({ queryKey: ['deal-totals'] });
  if (deal.contact_id) void client.invalidateQueries({ queryKey: ['contact-deals', deal.contact_id] });
}
