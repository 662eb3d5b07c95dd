import { expect, it } from 'vitest';
import type { Booking } from '@/api/schema';
import { byDay } from './days';

const booking = (id: string, at: Date) => ({ id, start_at: at.toISOString() }) as Booking;
const list = [
  booking('b', new Date(2026, 0, 2, 9)),
  booking('a', new Date(2026, 0, 1, 23, 30)),
  booking('c', new Date(2026, 0, 2, 0, 30)),
];
const shape = (when: 'upcoming' | 'past') =>
  byDay(list, when).map((day) => day.bookings.map((each) => each.id));

it('groups by the day where the viewer is, in the order of reading', () => {
  expect(shape('upcoming')).toEqual([['a'], ['c', 'b']]);
  expect(shape('past')).toEqual([['b', 'c'], ['a']]);
});
