import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { oncePerBurst } from './burst';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('does a task at once, and once more at the end of a burst', () => {
  const done: string[] = [];
  const ask = oncePerBurst(100);
  for (let time = 0; time < 50; time += 1) ask('a', () => done.push('a'));
  ask('b', () => done.push('b'));
  expect(done).toEqual(['a', 'b']);
  vi.advanceTimersByTime(100);
  expect(done).toEqual(['a', 'b', 'a']);
  vi.advanceTimersByTime(1_000);
  expect(done).toEqual(['a', 'b', 'a']);
  ask('a', () => done.push('a'));
  expect(done).toEqual(['a', 'b', 'a', 'a']);
});
