import { describe, expect, it } from 'vitest';
import type { Deal } from '@/api/schema';
import { dateIn } from '@/i18n/time';
import {
  type DealPages,
  inColumn,
  isOverdue,
  moveTotals,
  neighbour,
  orderDeals,
  pipelineCurrency,
  placeDeal,
  shownSums,
} from './board';

const deal = (id: string, more: Partial<Deal> = {}): Deal => ({
  id,
  title: id,
  value: null,
  currency: 'EUR',
  pipeline_id: 'p',
  stage_id: 's1',
  contact_id: null,
  owner_user_id: null,
  status: 'open',
  lost_reason: null,
  expected_close_date: null,
  closed_at: null,
  created_at: `2026-01-0${id}`,
  updated_at: '',
  ...more,
});
const pages = (...deals: Deal[]): DealPages => ({
  pages: [{ data: deals, meta: { next_cursor: null, has_more: false, limit: 100 } }],
  pageParams: [undefined],
});
const ids = (data: DealPages) => data.pages.flatMap((page) => page.data.map((each) => each.id));

describe('orderDeals', () => {
  const deals = [
    deal('1', { value: 5 }),
    deal('2'),
    deal('3', { value: 9, expected_close_date: '2026-03-01' }),
    deal('4', { value: 5, expected_close_date: '2026-02-01' }),
  ];
  it('puts the newest first', () =>
    expect(orderDeals(deals, 'newest').map((each) => each.id)).toEqual(['4', '3', '2', '1']));
  it('puts the dearest first, those without a value last', () =>
    expect(orderDeals(deals, 'value').map((each) => each.id)).toEqual(['3', '4', '1', '2']));
  it('puts the soonest first, those without a date last', () =>
    expect(orderDeals(deals, 'closing').map((each) => each.id)).toEqual(['4', '3', '2', '1']));
  it('does not change the list it was given', () => {
    orderDeals(deals, 'value');
    expect(deals.map((each) => each.id)).toEqual(['1', '2', '3', '4']);
  });
});

describe('columns', () => {
  it('show open deals of their stage that fit the filter', () => {
    expect(inColumn(deal('1'), 's1', { pipeline_id: 'p' })).toBe(true);
    expect(inColumn(deal('1', { status: 'won' }), 's1', { pipeline_id: 'p' })).toBe(false);
    expect(inColumn(deal('1', { status: 'won' }), 'won', { pipeline_id: 'p' })).toBe(true);
    expect(inColumn(deal('1', { status: 'won' }), 'lost', { pipeline_id: 'p' })).toBe(false);
    expect(inColumn(deal('1'), 's1', { pipeline_id: 'p', owner_user_id: 'u' })).toBe(false);
    expect(inColumn(deal('1'), 's1', { pipeline_id: 'p', q: 'x' })).toBeUndefined();
  });
  it('take a deal in once, change it in place and let it go', () => {
    const column = pages(deal('1'), deal('2'));
    expect(ids(placeDeal(column, deal('3'), true))).toEqual(['3', '1', '2']);
    const changed = placeDeal(column, deal('2', { title: 'new' }), true);
    expect(ids(changed)).toEqual(['1', '2']);
    expect(changed.pages[0]?.data[1]?.title).toBe('new');
    expect(ids(placeDeal(column, deal('1'), false))).toEqual(['2']);
  });
});

describe('moveTotals', () => {
  const totals = [
    { stage_id: 's1', count: 2, sums: [{ currency: 'EUR', value: 30.3, count: 2 }] },
    { stage_id: 's2', count: 0, sums: [] },
  ];
  it('takes the value from one stage to the other, without rounding errors', () => {
    expect(moveTotals(totals, deal('1', { value: 10.1 }), 's1', 's2')).toEqual([
      { stage_id: 's1', count: 1, sums: [{ currency: 'EUR', value: 20.2, count: 1 }] },
      { stage_id: 's2', count: 1, sums: [{ currency: 'EUR', value: 10.1, count: 1 }] },
    ]);
  });
  it('changes nothing within one stage', () =>
    expect(moveTotals(totals, deal('1', { value: 1 }), 's1', 's1')).toEqual(totals));
});

it('finds the stage beside another', () => {
  const stages = [{ id: 'a' }, { id: 'b' }];
  expect(neighbour(stages, 'a', 1)?.id).toBe('b');
  expect(neighbour(stages, 'b', 1)).toBeUndefined();
  expect(neighbour(stages, 'x', 1)).toBeUndefined();
});

describe('an overdue deal', () => {
  const due = (more: Partial<Deal> = {}) => deal('1', { expected_close_date: '2026-02-28', ...more });
  it('is one that is open after its day', () => {
    expect(isOverdue(due(), '2026-02-28')).toBe(false);
    expect(isOverdue(due(), '2026-03-01')).toBe(true);
    expect(isOverdue(due({ status: 'won' }), '2026-03-01')).toBe(false);
    expect(isOverdue(deal('1'), '2026-03-01')).toBe(false);
  });
  it('is judged by the day in the timezone of the account', () => {
    const night = Date.parse('2026-02-28T23:30:00Z');
    expect(dateIn('UTC', night)).toBe('2026-02-28');
    expect(dateIn('Europe/Berlin', night)).toBe('2026-03-01');
    expect(dateIn('America/New_York', night)).toBe('2026-02-28');
  });
});

describe('the currency of a pipeline', () => {
  const sum = (currency: string, value: number, count: number) => ({ currency, value, count });
  const totals = [
    { stage_id: 's1', count: 2, sums: [sum('EUR', 5, 1), sum('USD', 900, 1)] },
    { stage_id: 's2', count: 1, sums: [sum('EUR', 0, 1)] },
  ];
  it('is the one of most of its deals', () => {
    expect(pipelineCurrency(totals)).toBe('EUR');
    expect(pipelineCurrency([])).toBeUndefined();
  });
  it('is free again for its only deal', () => {
    const only = [{ stage_id: 's1', count: 1, sums: [sum('EUR', 5, 1)] }];
    expect(pipelineCurrency(only, deal('1'))).toBeUndefined();
  });
  it('comes first, and other currencies are summed up apart', () => {
    const sums = [sum('CHF', 0, 1), sum('EUR', 5, 1), sum('USD', 900, 1)];
    expect(shownSums(sums, 'USD').map(({ currency }) => currency)).toEqual(['USD', 'EUR']);
  });
});
