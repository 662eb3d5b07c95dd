import { useQueryClient } from '@tanstack/react-query';
import { call } from '@/api/client';
import type { Deal, Stage } from '@/api/schema';
import { t } from '@/i18n';
import { notifyFailure } from '@/ui/toast';
import { type BoardFilter, moveTotals } from './board';
import { applyDeal } from './cache';
import { totalsQuery } from './queries';

/** Moves a deal at once on screen, and back with the reason when the server refuses. */
export function useMoveDeal(filter: BoardFilter): (deal: Deal, stage: Pick<Stage, 'id'>) => Promise<void> {
  const client = useQueryClient();
  return async (deal, stage) => {
    if (deal.stage_id === stage.id) return;
    const { queryKey } = totalsQuery(filter);
    // A read that is under way knows the place before the move.
    await client.cancelQueries({ queryKey: ['column'] });
    applyDeal(client, { ...deal, stage_id: stage.id });
    client.setQueryData(queryKey, (totals) => totals && moveTotals(totals, deal, deal.stage_id, stage.id));
    try {
      applyDeal(
        client,
        (await call('POST /deals/{id}/move', { path: { id: deal.id }, body: { stage_id: stage.id } })).data,
      );
    } catch (error) {
      applyDeal(client, deal);
      notifyFailure(t('deals.moveFailed', { title: deal.title }), error);
      // Somebody else may have moved or closed it: show how it is.
      void client.invalidateQueries({ queryKey: ['column'] });
    }
    void client.invalidateQueries({ queryKey });
  };
}
