import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LIST_GAP_MS } from './burst';
import { applyAnyChange, applyChanges, rowKey } from './changes';
import { type LiveHandler, readBatch } from './handler';

const HANDLERS: LiveHandler[] = [
  { watches: { tags: () => [['tags'], ['contacts']], runs: (id) => [rowKey('run', id)] } },
  { watches: { members: (id, _client, me) => (id === me ? [['session']] : []) } },
  {},
];

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Queries on screen, and what was read of each. */
function screen(...keys: string[][]) {
  const client = new QueryClient();
  const read: string[] = [];
  for (const queryKey of keys) {
    client.setQueryData(queryKey, 0);
    const queryFn = () => {
      read.push(queryKey.join(' '));
      return read.length;
    };
    new QueryObserver(client, { queryKey, queryFn, staleTime: Number.POSITIVE_INFINITY }).subscribe(
      () => undefined,
    );
  }
  return { client, read };
}

it('reads what a notice is about, and nothing else', async () => {
  const { client, read } = screen(['tags'], ['contacts'], ['run', 'r1'], ['run', 'r2'], ['session']);
  const notice = (data: object) => ({ id: undefined, type: 'changed', data: JSON.stringify(data) });
  const { changes } = readBatch([notice({ resource: 'runs', id: 'r1' }), notice({ resource: 'dreams' })]);
  applyChanges(HANDLERS, changes, client, 'bo');
  await vi.advanceTimersByTimeAsync(0);
  expect(read).toEqual(['run r1']);
  applyChanges(HANDLERS, [{ resource: 'tags' }, { resource: 'members', id: 'ann' }], client, 'bo');
  await vi.advanceTimersByTimeAsync(0);
  expect(read).toEqual(['run r1', 'tags', 'contacts']);
  applyChanges(HANDLERS, [{ resource: 'members', id: 'bo' }], client, 'bo');
  await vi.advanceTimersByTimeAsync(0);
  expect(read.at(-1)).toBe('session');
});

it('reads everything when anything may have changed', async () => {
  const { client, read } = screen(['tags'], ['run', 'r1'], ['unwatched']);
  applyAnyChange(HANDLERS, client, 'bo');
  await vi.advanceTimersByTimeAsync(0);
  expect(read.toSorted()).toEqual(['run r1', 'tags']);
});

it('reads once a second in a burst, and once more at its end', async () => {
  const { client, read } = screen(['run', 'r1']);
  for (let step = 0; step < 100; step += 1) {
    applyChanges(HANDLERS, [{ resource: 'runs', id: 'r1' }], client, 'bo');
    await vi.advanceTimersByTimeAsync(LIST_GAP_MS / 50);
  }
  await vi.advanceTimersByTimeAsync(2 * LIST_GAP_MS);
  expect(read.length).toBeGreaterThanOrEqual(3);
  expect(read.length).toBeLessThanOrEqual(4);
});

it('does not fail a read that somebody waits for, and gives it what is new', async () => {
  const client = new QueryClient();
  const queryKey = ['tags'];
  client.setQueryData(queryKey, 'before');
  let stored = 'old';
  const answers: Array<() => void> = [];
  const queryFn = () => {
    const seen = stored;
    return new Promise<string>((done) => answers.push(() => done(seen)));
  };
  const query = { queryKey, queryFn, staleTime: 0 };
  const stop = new QueryObserver(client, { ...query, enabled: true }).subscribe(() => undefined);
  const awaited = client.fetchQuery(query);
  stored = 'new';
  applyChanges(HANDLERS, [{ resource: 'tags' }], client, 'bo');
  await vi.advanceTimersByTimeAsync(0);
  for (const answer of answers) answer();
  expect(await awaited).toBe('new');
  stop();
});

it('reads again after a first read that is older than the change', async () => {
  const client = new QueryClient();
  let stored = 'old';
  const answers: Array<() => void> = [];
  const queryFn = () => {
    const seen = stored;
    return new Promise<string>((done) => answers.push(() => done(seen)));
  };
  const stop = new QueryObserver(client, { queryKey: ['tags'], queryFn }).subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(0);
  stored = 'new';
  applyChanges(HANDLERS, [{ resource: 'tags' }], client, 'bo');
  answers.shift()?.();
  await vi.advanceTimersByTimeAsync(0);
  answers.shift()?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(client.getQueryData(['tags'])).toBe('new');
  stop();
});
