/** The board's columns: which deals they show, in which order, and what they add up to. Pure. */
import type { InfiniteData } from '@tanstack/react-query';
import type { StageTotal } from '@/api/app';
import type { Deal } from '@/api/schema';
import type { Page } from '@/api/shapes';

export type DealPages = InfiniteData<Page<Deal>, unknown>;

export const ORDERS = ['newest', 'value', 'closing'] as const;
export type Order = (typeof ORDERS)[number];

export interface BoardFilter {
  pipeline_id: string;
  owner_user_id?: string;
  q?: string;
}

/** Deals without a value, or without a date, come last. The newest decides between equals. */
export function orderDeals(deals: readonly Deal[], order: Order): Deal[] {
  const newest = (a: Deal, b: Deal) =>
    a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : a.id < b.id ? 1 : -1;
  return deals.toSorted((a, b) => {
    if (order === 'value') return (b.value ?? -1) - (a.value ?? -1) || newest(a, b);
    if (order === 'closing') {
      const date = (deal: Deal) => deal.expected_close_date ?? '9999';
      return date(a) < date(b) ? -1 : date(a) > date(b) ? 1 : newest(a, b);
    }
    return newest(a, b);
  });
}

/** Whether a deal is shown in a column. Undefined: the filter searches text, only the server can tell. */
export function inColumn(deal: Deal, stageId: string, filter: BoardFilter): boolean | undefined {
  if (deal.status !== 'open' || deal.stage_id !== stageId || deal.pipeline_id !== filter.pipeline_id)
    return false;
  if (filter.owner_user_id && deal.owner_user_id !== filter.owner_user_id) return false;
  return filter.q ? undefined : true;
}

/** Puts a deal into a column's pages, changes it in place, or takes it out. */
export function placeDeal(data: DealPages, deal: Deal, keep: boolean): DealPages {
  let found = false;
  const pages = data.pages.map((page) => {
    const index = page.data.findIndex((other) => other.id === deal.id);
    if (index < 0) return page;
    found = true;
    return { ...page, data: keep ? page.data.with(index, deal) : page.data.toSpliced(index, 1) };
  });
  const [first, ...rest] = pages;
  if (!keep || found || !first) return { ...data, pages };
  return { ...data, pages: [{ ...first, data: [deal, ...first.data] }, ...rest] };
}

/** Totals after a move, until the server's own come. */
export function moveTotals(
  totals: readonly StageTotal[],
  deal: Deal,
  from: string,
  to: string,
): StageTotal[] {
  return totals.map((total) => {
    const sign = total.stage_id === from ? -1 : total.stage_id === to ? 1 : 0;
    return sign === 0 || from === to ? total : addTo(total, deal, sign);
  });
}

function addTo(total: StageTotal, deal: Deal, sign: 1 | -1): StageTotal {
  const count = total.count + sign;
  if (deal.value === null) return { ...total, count };
  const index = total.sums.findIndex((sum) => sum.currency === deal.currency);
  const before = total.sums[index]?.value ?? 0;
  const sum = { currency: deal.currency, value: Math.round((before + sign * deal.value) * 100) / 100 };
  return { ...total, count, sums: index < 0 ? [...total.sums, sum] : total.sums.with(index, sum) };
}

/** The stage to the left or right; undefined at the edge of the board. */
export function neighbour<S extends { id: string }>(
  stages: readonly S[],
  stageId: string,
  step: 1 | -1,
): S | undefined {
  const index = stages.findIndex((stage) => stage.id === stageId);
  return index < 0 ? undefined : stages[index + step];
}
