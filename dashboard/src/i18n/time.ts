/** Times in the viewer's zone and language. `now` is an argument wherever the result depends on it. */
import { compactFormat, dateFormat, relativeFormat } from './formats';
import { locale } from './index';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const clock = dateFormat({ timeStyle: 'short' });
const precise = dateFormat({
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});
const weekday = dateFormat({ weekday: 'short' });
const dayAndMonth = dateFormat({ day: 'numeric', month: 'short' });
const dayMonthAndYear = dateFormat({ day: 'numeric', month: 'short', year: 'numeric' });
const full = dateFormat({ dateStyle: 'full', timeStyle: 'short' });
const medium = dateFormat({ dateStyle: 'medium', timeStyle: 'short' });
const exact = dateFormat({ dateStyle: 'medium', timeStyle: 'medium' });
const mediumDate = dateFormat({ dateStyle: 'medium' });
const heading = dateFormat({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

/** A short form for lists: the time today, the weekday within a week, otherwise the date. */
export function shortTime(iso: string, now: number): string {
  const at = new Date(iso);
  if (sameDay(at, new Date(now))) return clock(at);
  if (now - at.getTime() < 6 * DAY && at.getTime() <= now) return weekday(at);
  const sameYear = at.getFullYear() === new Date(now).getFullYear();
  return sameYear ? dayAndMonth(at) : dayMonthAndYear(at);
}

export function clockTime(iso: string): string {
  return clock(new Date(iso));
}

/** A time of day for logs: 09:30:00.123. */
export function preciseTime(iso: string): string {
  return precise(new Date(iso));
}

export function fullTime(iso: string): string {
  return full(new Date(iso));
}

export function mediumTime(iso: string): string {
  return medium(new Date(iso));
}

/** A date and a time to the second. */
export function exactTime(iso: string): string {
  return exact(new Date(iso));
}

/** A calendar date (2026-02-28) without a zone. */
export function calendarDate(date: string): string {
  return mediumDate(new Date(`${date}T00:00:00`));
}

/** The calendar date (2026-02-28) of a moment in a timezone. */
export function dateIn(timezone: string, now: number): string {
  // Swedish writes dates this way.
  return new Date(now).toLocaleDateString('sv-SE', { timeZone: timezone });
}

export function dayHeading(iso: string, now: number): string {
  const at = new Date(iso);
  const days = Math.round((startOfDay(at) - startOfDay(new Date(now))) / DAY);
  if (days === 0 || days === -1) {
    const words = relativeFormat().format(days, 'day');
    return words.charAt(0).toLocaleUpperCase(locale()) + words.slice(1);
  }
  return heading(at);
}

export function relativeTime(iso: string, now: number): string {
  const elapsed = new Date(iso).getTime() - now;
  const words = relativeFormat();
  const size = Math.abs(elapsed);
  if (size < MINUTE) return words.format(0, 'minute');
  if (size < HOUR) return words.format(Math.trunc(elapsed / MINUTE), 'minute');
  if (size < DAY) return words.format(Math.trunc(elapsed / HOUR), 'hour');
  return words.format(Math.trunc(elapsed / DAY), 'day');
}

export function sameDay(a: Date, b: Date): boolean {
  return startOfDay(a) === startOfDay(b);
}

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

export function money(value: number, currency: string): string {
  try {
    return value.toLocaleString(locale(), {
      style: 'currency',
      currency,
      ...(Number.isInteger(value) ? { maximumFractionDigits: 0 } : {}),
    });
  } catch {
    return `${value.toLocaleString(locale())} ${currency}`;
  }
}

export function fileSize(bytes: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return value.toLocaleString(locale(), {
    style: 'unit',
    unit: units[unit] ?? 'byte',
    // Only bytes have a plural that the short form lacks.
    unitDisplay: unit === 0 ? 'long' : 'short',
    maximumFractionDigits: value < 10 ? 1 : 0,
  });
}

/** A count where there is little room: 940, 10K. */
export function compactCount(count: number): string {
  return compactFormat().format(count);
}
