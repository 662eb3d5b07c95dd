/** The board's columns: which deals they show, in which order, and what they add up to. Pure. */
import type { InfiniteData } from '@tanstack/react-query';
import type { StageTotal } from '@/api/app';
import type { Deal, StageSum } from '@/api/schema';
import type { Page } from '@/api/shapes';

export type DealPages = InfiniteData<Page<Deal>, unknown>;

export const ORDERS = ['newest', 'value', 'closing'] as const;
export type Order = (typeof ORDERS)[number];

/** A column of the board: a stage with its open deals, or the deals that were won or lost. */
export interface BoardColumn {
  id: string;
  name: string;
  outcome?: Outcome;
}

export const OUTCOMES = ['won', 'lost'] as const;
export type Outcome = (typeof OUTCOMES)[number];

function isOutcome(id: string): id is Outcome {
  return OUTCOMES.some((outcome) => outcome === id);
}

/** The column in which a deal is shown. */
export function columnOf(deal: Deal): string {
  return deal.status === 'open' ? deal.stage_id : deal.status;
}

/** What the server is asked for a column. */
export function columnFilter(columnId: string): { stage_id: string; status: 'open' } | { status: Outcome } {
  return isOutcome(columnId) ? { status: columnId } : { stage_id: columnId, status: 'open' };
}

/** A deal that should have been closed by now. Dates are compared as they are written: 2026-02-28. */
export function isOverdue(deal: Deal, today: string): boolean {
  return deal.status === 'open' && deal.expected_close_date !== null && deal.expected_close_date < today;
}

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
export function inColumn(deal: Deal, columnId: string, filter: BoardFilter): boolean | undefined {
  if (columnOf(deal) !== columnId || deal.pipeline_id !== filter.pipeline_id) return false;
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
  const index = total.sums.findIndex((sum) => sum.currency === deal.currency);
  const before = total.sums[index] ?? { value: 0, count: 0 };
  const sum = {
    currency: deal.currency,
    value: Math.round((before.value + sign * (deal.value ?? 0)) * 100) / 100,
    count: before.count + sign,
  };
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

/** The sums of several stages as one. */
export function addTotals(totals: readonly StageTotal[]): Omit<StageTotal, 'stage_id'> {
  const sums = new Map<string, StageSum>();
  for (const sum of totals.flatMap((total) => total.sums)) {
    const before = sums.get(sum.currency);
    sums.set(sum.currency, {
      currency: sum.currency,
      value: Math.round(((before?.value ?? 0) + sum.value) * 100) / 100,
      count: (before?.count ?? 0) + sum.count,
    });
  }
  return { count: totals.reduce((count, total) => count + total.count, 0), sums: [...sums.values()] };
}

/** The currency of a pipeline: the one that most of its deals have. Undefined while it has none. */
export function pipelineCurrency(totals: readonly StageTotal[], without?: Deal): string | undefined {
  const counted = addTotals(totals).sums.map(({ currency, count }) => ({
    currency,
    count: without?.currency === currency ? count - 1 : count,
  }));
  const [first] = counted
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || (a.currency < b.currency ? -1 : 1));
  return first?.currency;
}

/** Sums that are worth showing, the pipeline's own currency first. */
export function shownSums(sums: readonly StageSum[], currency: string | undefined): StageSum[] {
  const own = (sum: StageSum) => (sum.currency === currency ? 0 : 1);
  return sums.filter(({ value }) => value !== 0).sort((a, b) => own(a) - own(b));
}
