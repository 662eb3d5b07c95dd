/** Rules of the spend page: months, days, forecast and tables. Pure: the day of today is an argument. */
import type { AiUsage, DayUsage } from '@/api/schema';

const DAY_MS = 24 * 60 * 60_000;

/** A month as 2026-01. */
export type Month = string;

export const monthOf = (date: string): Month => date.slice(0, 7);

export function isMonth(text: unknown): text is Month {
  return typeof text === 'string' && /^\d{4}-(0[1-9]|1[0-2])$/.test(text);
}

export function daysIn(month: Month): number {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 0)).getUTCDate();
}

export function addMonths(month: Month, count: number): Month {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + count, 1)).toISOString().slice(0, 7);
}

/** The first and the last day of a month. */
export function rangeOf(month: Month): { from: string; to: string } {
  return { from: `${month}-01`, to: `${month}-${daysIn(month)}` };
}

/** Every day of the range, also those that cost nothing. */
export function everyDay({ from, to, by_day: known }: AiUsage): DayUsage[] {
  const byDate = new Map(known.map((day) => [day.date, day]));
  const days: DayUsage[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS) {
    const date = new Date(at).toISOString().slice(0, 10);
    days.push(byDate.get(date) ?? { date, spent_usd: 0, calls: 0, tokens_in: 0, tokens_out: 0 });
  }
  return days;
}

/** What the month costs if its other days cost what the whole days so far did. Undefined on its first day. */
export function forecast(usage: AiUsage, today: string): number | undefined {
  const month = monthOf(today);
  const wholeDays = Number(today.slice(8)) - 1;
  if (monthOf(usage.from) !== month || wholeDays < 1) return undefined;
  const spentToday = usage.by_day.find(({ date }) => date === today)?.spent_usd ?? 0;
  const perDay = (usage.spent_usd - spentToday) / wholeDays;
  // Today costs at least what it has cost already.
  return (
    usage.spent_usd - spentToday + Math.max(perDay, spentToday) + perDay * (daysIn(month) - wholeDays - 1)
  );
}

/** A round number at or above the largest value, for the top of a plot. */
export function roundUp(value: number): number {
  if (value <= 0) return 1;
  const unit = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].find((each) => each * unit >= value * 0.999_999) ?? 10;
  return step * unit;
}

interface Named {
  spent_usd: number;
  calls: number;
  tokens_in: number;
  tokens_out: number;
}

/** A table for a spreadsheet: plain numbers, with a point. */
export function tableOf<T extends Named>(
  heading: string,
  rows: readonly T[],
  nameOf: (row: T) => string,
): string[][] {
  return [
    [heading, 'cost_usd', 'calls', 'tokens_in', 'tokens_out'],
    ...rows.map((row) => [
      nameOf(row),
      ...[row.spent_usd, row.calls, row.tokens_in, row.tokens_out].map(String),
    ]),
  ];
}
