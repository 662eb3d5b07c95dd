/** Times of a wall clock in a zone, as date fields have them. */
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  formats.set(zone, format);
  return format;
}

/** What the wall clock of a zone shows at a moment, as if it were UTC. */
function wallClock(moment: number, zone: string): number {
  const part: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of formatOf(zone).formatToParts(moment)) part[type] = Number(value);
  return Date.UTC(part.year ?? 0, (part.month ?? 1) - 1, part.day, part.hour, part.minute, part.second);
}

function offset(moment: number, zone: string): number {
  const second = Math.floor(moment / 1_000) * 1_000;
  return wallClock(second, zone) - second;
}

/** The moment at which the wall clock of a zone first shows a time, or skips it. */
function momentOf(wall: number, zone: string): number {
  const [before, after] = [offset(wall - DAY_MS, zone), offset(wall + DAY_MS, zone)];
  const shown = [wall - before, wall - after].filter((moment) => wallClock(moment, zone) === wall);
  if (shown.length > 0) return Math.min(...shown);
  // It is skipped: the clock change lies between the two readings.
  let [low, high] = [wall - Math.max(before, after), wall - Math.min(before, after)];
  while (high - low > 1_000) {
    const middle = Math.floor((low + high) / 2_000) * 1_000;
    if (offset(middle, zone) === before) low = middle;
    else high = middle;
  }
  return high;
}

/** The moment of a wall clock's time such as 2026-01-31T09:30 in a zone. Undefined if it is not a time. */
export function momentOfInput(input: string, zone: string): number | undefined {
  const wall = Date.parse(`${input}Z`);
  return Number.isNaN(wall) ? undefined : momentOf(wall, zone);
}

/** A moment as a field of the type `datetime-local` has it, in a zone. */
export function inputOfMoment(moment: number, zone: string): string {
  return new Date(wallClock(moment, zone)).toISOString().slice(0, 16);
}
