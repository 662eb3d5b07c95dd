import type { Booking } from '@/api/schema';
import { sameDay } from '@/i18n/time';

export interface Day {
  at: string;
  bookings: Booking[];
}

/** Bookings by the viewer's days: the next first, or the latest first when they are past. */
export function byDay(bookings: readonly Booking[], when: 'upcoming' | 'past'): Day[] {
  const sign = when === 'upcoming' ? 1 : -1;
  const days: Day[] = [];
  for (const booking of bookings.toSorted((a, b) => (a.start_at < b.start_at ? -sign : sign))) {
    const last = days.at(-1);
    if (last && sameDay(new Date(last.at), new Date(booking.start_at))) last.bookings.push(booking);
    else days.push({ at: booking.start_at, bookings: [booking] });
  }
  return days;
}
