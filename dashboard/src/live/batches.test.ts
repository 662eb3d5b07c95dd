import { expect, it } from 'vitest';
import { Batches, GAP_MS_MAX, GAP_MS_MIN } from './batches';

function scene() {
  const taken: number[][] = [];
  let due: { task: () => void; after: number } | undefined;
  const batches = new Batches<number>({
    take: (items) => taken.push(items),
    schedule: (task, after) => {
      due = { task, after };
      return () => {
        due = undefined;
      };
    },
  });
  const pass = () => {
    const now = due;
    due = undefined;
    now?.task();
    return now?.after;
  };
  return { batches, taken, pass };
}

const piece = () => new Promise<void>((done) => queueMicrotask(done));

it('hands a single item on at once, without a timer', async () => {
  const { batches, taken } = scene();
  batches.push(1);
  await piece();
  expect(taken).toEqual([[1]]);
});

it('keeps the items of one piece together', async () => {
  const { batches, taken } = scene();
  batches.push(1);
  batches.push(2);
  await piece();
  expect(taken).toEqual([[1, 2]]);
});

it('collects a burst into ever larger batches, in order, and is quick again after it', async () => {
  const { batches, taken, pass } = scene();
  const gaps = [];
  for (let round = 0; round < 5; round += 1) {
    for (let item = 0; item < 1_000; item += 1) {
      batches.push(round * 1_000 + item);
      await piece();
    }
    gaps.push(pass());
  }
  expect(gaps).toEqual([GAP_MS_MIN, 2 * GAP_MS_MIN, 4 * GAP_MS_MIN, GAP_MS_MAX, GAP_MS_MAX]);
  expect(taken.length).toBe(6);
  expect(taken.flat()).toEqual(Array.from({ length: 5_000 }, (_, item) => item));
  pass();
  batches.push(5_000);
  await piece();
  expect(taken.at(-1)).toEqual([5_000]);
  expect(pass()).toBe(GAP_MS_MIN);
});

it('goes on when a batch could not be taken', async () => {
  const taken: number[][] = [];
  let due: () => void = () => undefined;
  const batches = new Batches<number>({
    take: (items) => {
      taken.push(items);
      if (items.includes(2)) throw new Error('a broken event');
    },
    schedule: (task) => {
      due = task;
      return () => undefined;
    },
  });
  batches.push(1);
  await piece();
  batches.push(2);
  expect(due).toThrow('a broken event');
  batches.push(3);
  due();
  expect(taken).toEqual([[1], [2], [3]]);
});

it('hands nothing on after it was stopped', async () => {
  const { batches, taken, pass } = scene();
  batches.push(1);
  batches.stop();
  await piece();
  batches.push(2);
  await piece();
  pass();
  expect(taken).toEqual([]);
});
