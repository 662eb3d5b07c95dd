import { expect, it, vi } from 'vitest';
import { ApiError } from '@/api/errors';
import { readAll, TooManyRows } from './exports';

const signal = () => new AbortController().signal;
const page = (data: unknown[], next_cursor: string | null = null) => ({ data, meta: { next_cursor } });

it('reads every page of every kind, and says how far it is', async () => {
  const onRows = vi.fn();
  const file = await readAll(['deals', 'tags'], {
    signal: signal(),
    onRows,
    read: async (kind, cursor) => {
      if (kind === 'tags') return page([{ id: 't' }]);
      return cursor ? page([{ id: 2 }]) : page([{ id: 1 }], 'next');
    },
  });
  expect(file).toEqual({ deals: [{ id: 1 }, { id: 2 }], tags: [{ id: 't' }] });
  expect(onRows.mock.calls).toEqual([
    ['deals', 1],
    ['deals', 2],
    ['tags', 1],
  ]);
});

it('waits when it asked too often, and loses no page', async () => {
  vi.useFakeTimers();
  let refused = false;
  const reading = readAll(['deals'], {
    signal: signal(),
    onRows: () => undefined,
    read: async () => {
      if (refused) return page([{ id: 1 }]);
      refused = true;
      throw new ApiError({ status: 429, code: 'rate_limited', message: 'Wait.', retryAfterSeconds: 30 });
    },
  });
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await reading).toEqual({ deals: [{ id: 1 }] });
  vi.useRealTimers();
});

it('ends with the first other failure', async () => {
  const failure = new ApiError({ status: 500, code: 'internal', message: 'Broken.' });
  const read = async () => Promise.reject(failure);
  await expect(readAll(['deals'], { signal: signal(), onRows: () => undefined, read })).rejects.toBe(failure);
});

it('gives up on a list that no browser could hold', async () => {
  const many = Array.from({ length: 50_000 }, (_, id) => ({ id }));
  const read = async () => page(many, 'next');
  await expect(readAll(['deals'], { signal: signal(), onRows: () => undefined, read })).rejects.toThrow(
    TooManyRows,
  );
});
