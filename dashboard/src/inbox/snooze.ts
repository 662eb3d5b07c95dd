/** The moments that snoozing offers, in the viewer's zone. Pure. */
export type SnoozeChoice = 'hour' | 'evening' | 'tomorrow' | 'week';

const MORNING_HOUR = 9;
const EVENING_HOUR = 18;

function at(day: Date, days: number, hour: number): Date {
  // The calendar, not 24-hour steps: nine o'clock stays nine o'clock when the clocks change.
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + days, hour);
}

export function snoozeChoices(now: Date): Array<{ choice: SnoozeChoice; until: Date }> {
  const monday = (8 - now.getDay()) % 7 || 7;
  const choices: Array<{ choice: SnoozeChoice; until: Date }> = [
    { choice: 'hour', until: new Date(now.getTime() + 60 * 60_000) },
    { choice: 'evening', until: at(now, 0, EVENING_HOUR) },
    { choice: 'tomorrow', until: at(now, 1, MORNING_HOUR) },
    { choice: 'week', until: at(now, monday, MORNING_HOUR) },
  ];
  return choices.filter(({ until }) => until.getTime() > now.getTime());
}
