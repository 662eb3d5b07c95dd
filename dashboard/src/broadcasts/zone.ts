/** Wall-clock times in the account's timezone, as a date field has them (2026-03-29T09:30). Pure. */

const MINUTE_MS = 60_000;

/** What the clock shows in a timezone, read as if it were UTC. */
function wallClock(instant: number, timezone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(instant);
  const part = (type: string) => Number(parts.find((each) => each.type === type)?.value);
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
}

/**
 * The moment of a wall-clock time, or null if it is none. A time that the clocks skip in spring is as much later as
 * they are put forward; of a time that comes twice in autumn, the first is meant.
 */
export function toInstant(local: string, timezone: string): Date | null {
  const wanted = Date.parse(`${local}Z`);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(local) || Number.isNaN(wanted)) return null;
  const offset = (at: number) => wallClock(at, timezone) - at;
  // The offsets of the day before and the day after include every offset that the time can have.
  const offsets = [offset(wanted - 24 * 60 * MINUTE_MS), offset(wanted + 24 * 60 * MINUTE_MS)];
  const fitting = offsets
    .map((each) => wanted - each)
    .filter((at) => wallClock(at, timezone) === wanted)
    .sort((a, b) => a - b);
  return new Date(fitting[0] ?? wanted - (offsets[0] ?? 0));
}

/** What the clock shows in a timezone, to the minute. */
export function toLocal(instant: Date, timezone: string): string {
  return new Date(wallClock(instant.getTime(), timezone)).toISOString().slice(0, 16);
}

/** The next full hour that is at least an hour away: what a time to send at begins with. */
export function nextHour(now: number, timezone: string): string {
  return `${toLocal(new Date(now + 2 * 60 * MINUTE_MS), timezone).slice(0, 13)}:00`;
}
