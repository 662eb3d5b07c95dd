import { useQueryClient } from '@tanstack/react-query';
import { call } from '@/api/client';
import type { Deal } from '@/api/schema';
import { t } from '@/i18n';
import { notifyFailure } from '@/ui/toast';
import { type BoardColumn, type BoardFilter, columnOf, moveTotals } from './board';
import { applyDeal } from './cache';
import { totalsQuery } from './queries';

type Target = Pick<BoardColumn, 'id' | 'outcome'>;
type MoveDeal = (deal: Deal, to: Target, reason?: string | null) => Promise<void>;

/** Moves a deal to another column at once on screen, and back with the reason when the server refuses. */
export function useMoveDeal(filter: BoardFilter): MoveDeal {
  const client = useQueryClient();
  return async (deal, to, reason = null) => {
    if (columnOf(deal) === to.id) return;
    // A read that is under way knows the place before the move.
    await client.cancelQueries({ queryKey: ['column'] });
    applyDeal(client, moved(deal, to));
    if (deal.status === 'open' && !to.outcome) {
      client.setQueryData(
        totalsQuery(filter).queryKey,
        (totals) => totals && moveTotals(totals, deal, deal.stage_id, to.id),
      );
    }
    try {
      applyDeal(client, await carryOut(deal, to, reason));
    } catch (error) {
      applyDeal(client, deal);
      notifyFailure(t('deals.moveFailed', { title: deal.title }), error);
      // Somebody else may have moved or closed it: show how it is.
      void client.invalidateQueries({ queryKey: ['column'] });
    }
    void client.invalidateQueries({ queryKey: ['deal-totals'] });
  };
}

function moved(deal: Deal, to: Target): Deal {
  return to.outcome ? { ...deal, status: to.outcome } : { ...deal, status: 'open', stage_id: to.id };
}

/** A closed deal is opened before anything else becomes of it. */
async function carryOut(deal: Deal, to: Target, reason: string | null): Promise<Deal> {
  const path = { id: deal.id };
  const open = deal.status === 'open' ? deal : (await call('POST /deals/{id}/reopen', { path })).data;
  if (to.outcome) {
    const body = { outcome: to.outcome, ...(to.outcome === 'lost' && { reason }) };
    return (await call('POST /deals/{id}/close', { path, body })).data;
  }
  if (open.stage_id === to.id) return open;
  return (await call('POST /deals/{id}/move', { path, body: { stage_id: to.id } })).data;
}
