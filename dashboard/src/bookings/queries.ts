import { infiniteQueryOptions } from '@tanstack/react-query';
import { call } from '@/api/client';
import type { BookingStatus } from '@/api/schema';

const PAGE_ROWS = 100;

export interface BookingFilter {
  when: 'upcoming' | 'past';
  status: BookingStatus | '';
  /** The moment that parts past from upcoming. */
  now: string;
}

export const bookingsQuery = ({ when, status, now }: BookingFilter) =>
  infiniteQueryOptions({
    queryKey: ['bookings', when, status, now],
    queryFn: ({ pageParam, signal }) => {
      const range = when === 'upcoming' ? { from: now } : { to: now };
      return call(
        'GET /bookings',
        {
          query: {
            ...range,
            ...(status && { status }),
            limit: PAGE_ROWS,
            ...(pageParam && { cursor: pageParam }),
          },
        },
        { signal },
      );
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.meta.next_cursor ?? undefined,
  });
