import { describe, expect, it } from 'vitest';
import type { AiUsage } from '@/api/schema';
import { addMonths, daysIn, everyDay, forecast, isMonth, rangeOf, roundUp, tableOf } from './spend';

const day = (date: string, spent_usd: number) => ({
  date,
  spent_usd,
  calls: 1,
  tokens_in: 10,
  tokens_out: 2,
});
const usage = (days: ReturnType<typeof day>[], from = '2026-02-01', to = '2026-02-11'): AiUsage => ({
  from,
  to,
  spent_usd: days.reduce((sum, { spent_usd: spent }) => sum + spent, 0),
  budget_usd: 50,
  remaining_usd: 40,
  calls: days.length,
  tokens_in: 0,
  tokens_out: 0,
  by_day: days,
  by_model: [],
  by_assistant: [],
});

describe('months', () => {
  it('know their days and their neighbours', () => {
    expect([daysIn('2026-02'), daysIn('2028-02'), daysIn('2026-12')]).toEqual([28, 29, 31]);
    expect([addMonths('2026-01', -1), addMonths('2026-12', 1)]).toEqual(['2025-12', '2027-01']);
    expect(rangeOf('2026-02')).toEqual({ from: '2026-02-01', to: '2026-02-28' });
  });
  it('are not made of any text', () => {
    for (const wrong of ['2026-13', '2026-1', 'x', 7, undefined]) expect(isMonth(wrong)).toBe(false);
  });
});

describe('days', () => {
  it('are all there, also those that cost nothing', () => {
    const days = everyDay(usage([day('2026-02-03', 1)]));
    expect(days).toHaveLength(11);
    expect(days[2]).toEqual(day('2026-02-03', 1));
    expect(days[3]?.spent_usd).toBe(0);
  });
});

describe('the forecast', () => {
  it('goes on at the pace of the whole days so far', () => {
    const spent = [day('2026-02-01', 4), day('2026-02-05', 6)];
    // 10 dollars in 10 whole days of 28.
    expect(forecast(usage(spent), '2026-02-11')).toBeCloseTo(28);
  });
  it('is at least what was spent', () => {
    const spent = [day('2026-02-01', 1), day('2026-02-28', 90)];
    expect(forecast(usage(spent), '2026-02-28')).toBeCloseTo(91);
  });
  it('is not made on the first day, and not for another month', () => {
    expect(forecast(usage([day('2026-02-01', 4)]), '2026-02-01')).toBeUndefined();
    expect(forecast(usage([]), '2026-03-11')).toBeUndefined();
  });
});

it('rounds the top of a plot up', () => {
  expect([0, 0.013, 0.5, 1, 1.1, 23, 99].map(roundUp)).toEqual([1, 0.02, 0.5, 1, 2, 50, 100]);
});

it('writes a table with plain numbers', () => {
  expect(tableOf('day', [day('2026-02-03', 1.5)], ({ date }) => date)).toEqual([
    ['day', 'cost_usd', 'calls', 'tokens_in', 'tokens_out'],
    ['2026-02-03', '1.5', '1', '10', '2'],
  ]);
});
