import { expect, it } from 'vitest';
import { snoozeChoices } from './snooze';

const of = (now: Date) => Object.fromEntries(snoozeChoices(now).map(({ choice, until }) => [choice, until]));

it('offers this evening only before it', () => {
  expect(of(new Date(2026, 0, 28, 10))).toHaveProperty('evening', new Date(2026, 0, 28, 18));
  expect(of(new Date(2026, 0, 28, 18))).not.toHaveProperty('evening');
});
it('takes next week to begin on the next Monday, never today', () => {
  expect(of(new Date(2026, 0, 28, 10)).week).toEqual(new Date(2026, 1, 2, 9));
  expect(of(new Date(2026, 1, 2, 8)).week).toEqual(new Date(2026, 1, 9, 9));
  expect(of(new Date(2026, 1, 1, 8)).week).toEqual(new Date(2026, 1, 2, 9));
});
