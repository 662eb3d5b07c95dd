import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '@/api/client';
import { type Month, rangeOf } from './spend';

/** Runs and the budget are live. What trials and transcripts cost is not reported, so it is read again now and then. */
const REFRESH_MS = 60_000;
/** Every call of the month is added up for it. */
const DEAREST_REFRESH_MS = 60_000;

/** Of a month; without one, of this month until today. */
export const usageQuery = (month: Month | undefined) =>
  queryOptions({
    queryKey: ['ai-usage', month ?? ''],
    queryFn: async ({ signal }) =>
      (await call('GET /ai/usage', { query: month ? rangeOf(month) : {} }, { signal })).data,
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

const DEAREST_RUNS = 10;

/** The dearest runs of a month; without one, of this month. */
export const dearestRunsQuery = (month: Month | undefined) =>
  queryOptions({
    queryKey: ['dearest-runs', month ?? ''],
    queryFn: async ({ signal }) => {
      const query = { limit: DEAREST_RUNS, ...(month && rangeOf(month)) };
      return (await call('GET /app/api/spend/runs', { query }, { signal })).data;
    },
    placeholderData: keepPreviousData,
    refetchInterval: DEAREST_REFRESH_MS,
  });
