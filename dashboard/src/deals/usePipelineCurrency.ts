import { useQueries } from '@tanstack/react-query';
import type { Deal } from '@/api/schema';
import { OUTCOMES, pipelineCurrency } from './board';
import { totalsQuery } from './queries';

/** The currency of a pipeline's deals, whatever filter is set; of the others, for one of them. */
export function usePipelineCurrency(pipelineId: string | undefined, deal?: Deal): string | undefined {
  const filter = { pipeline_id: pipelineId ?? '' };
  const totals = useQueries({
    queries: (['open', ...OUTCOMES] as const).map((status) => ({
      ...totalsQuery(filter, status),
      enabled: pipelineId !== undefined,
    })),
    combine: (results) => results.flatMap((result) => result.data ?? []),
  });
  return pipelineCurrency(totals, deal);
}
