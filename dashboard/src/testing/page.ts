import type { Page } from '@/api/shapes';

/** A list of the API that has nothing more. */
export const page = <T>(data: T[]): Page<T> => ({
  data,
  meta: { next_cursor: null, has_more: false, limit: 100 },
});
