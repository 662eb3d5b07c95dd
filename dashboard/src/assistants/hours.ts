/** Hours by weekday, as the schedule of an assistant has them. Pure. */
import type { Schedule } from '@/api/schema';

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Day = (typeof DAYS)[number];
export type Span = [from: string, to: string];
export type Hours = Partial<Record<Day, Span[]>>;

const SPAN: Span = ['09:00', '17:00'];
const SPANS_MAX = 24;

export function hoursOf(schedule: Schedule): Hours {
  return (schedule.hours ?? {}) as Hours;
}

/** What a schedule begins with when custom hours are chosen: the week as most shops have it. */
export function usualHours(): Hours {
  return Object.fromEntries(DAYS.slice(0, 5).map((day) => [day, [[...SPAN]]])) as Hours;
}

/** A day without spans is closed, and is not named. */
function withDay(hours: Hours, day: Day, spans: Span[]): Hours {
  const { [day]: _, ...others } = hours;
  return spans.length > 0 ? { ...others, [day]: spans } : others;
}

/** One more span, after the last of the day. */
export function addSpan(hours: Hours, day: Day): Hours {
  const spans = hours[day] ?? [];
  const last = spans.at(-1)?.[1];
  const next: Span = last && last < '23:00' ? [last, '23:59'] : [...SPAN];
  return spans.length >= SPANS_MAX ? hours : withDay(hours, day, [...spans, next]);
}

export function removeSpan(hours: Hours, day: Day, index: number): Hours {
  return withDay(hours, day, (hours[day] ?? []).toSpliced(index, 1));
}

export function changeSpan(hours: Hours, day: Day, index: number, span: Span): Hours {
  return withDay(hours, day, (hours[day] ?? []).with(index, span));
}
