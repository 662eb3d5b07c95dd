import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query';
import { afterEach, expect, it, vi } from 'vitest';
import { conversation, page, row } from '@/testing/data';
import { refreshThread } from './cache';
import { neighboursOf, prefetch, prefetchNeighbours } from './prefetch';
import { threadQuery } from './queries';

afterEach(() => vi.unstubAllGlobals());

const named = (id: string) => ({
  ...row,
  conversation: { ...conversation, id },
  contact: { ...row.contact, id: `contact-of-${id}` },
});
const [first, second, third, fourth] = ['c1', 'c2', 'c3', 'c4'].map(named) as [
  typeof row,
  typeof row,
  typeof row,
  typeof row,
];
const THREAD_ONLY = { panel: false, deals: false };

/** Notes the paths that are read. A response comes when it is released, or at once. */
function serve({ held = false } = {}) {
  const asked: string[] = [];
  const answers: Array<() => void> = [];
  vi.stubGlobal('fetch', (url: string) => {
    asked.push(new URL(url, 'http://x').pathname.replace('/api/v1', ''));
    return new Promise<Response>((done) => {
      const answer = () => done(Response.json(page([])));
      if (held) answers.push(answer);
      else answer();
    });
  });
  return { asked, answers };
}

const newClient = () => new QueryClient({ defaultOptions: { queries: { staleTime: 60_000, retry: false } } });

it('leads to the next conversation first, then to the one before, then to the one after the next', () => {
  const rows = [first, second, third, fourth];
  expect(neighboursOf(rows, 'c2')).toEqual([third, first, fourth]);
  expect(neighboursOf(rows, 'c1')).toEqual([second, third]);
  expect(neighboursOf(rows, 'c4')).toEqual([third]);
  expect(neighboursOf(rows, 'elsewhere')).toEqual([]);
});

it('reads one thing at a time', async () => {
  const { asked, answers } = serve({ held: true });
  const reading = prefetch(newClient(), first, { panel: true, deals: true });
  for (const count of [1, 2, 3, 4, 5]) {
    await vi.waitFor(() => expect(answers).toHaveLength(count));
    answers.at(-1)?.();
  }
  await reading;
  expect(asked.map((path) => path.split('/').at(-1))).toEqual([
    'messages',
    'notes',
    'contact-of-c1',
    'notes',
    'deals',
  ]);
});

it('reads of the contact only what is beside the thread', async () => {
  const { asked } = serve();
  await prefetch(newClient(), first, THREAD_ONLY);
  expect(asked).toHaveLength(3);
  await prefetch(newClient(), first, { panel: true, deals: false });
  expect(asked).toHaveLength(3 + 4);
});

it('reads nothing twice', async () => {
  const { asked } = serve();
  const client = newClient();
  await prefetch(client, first, THREAD_ONLY);
  await prefetch(client, first, THREAD_ONLY);
  expect(asked).toHaveLength(3);
});

it('waits for the open thread, and stops when another conversation is opened', async () => {
  const { asked, answers } = serve({ held: true });
  let left = false;
  const reading = prefetchNeighbours(
    newClient(),
    'c1',
    () => [second, third],
    THREAD_ONLY,
    () => !left,
  );
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  expect(asked[0]).toContain('/c1/messages');
  answers[0]?.();
  await vi.waitFor(() => expect(asked).toHaveLength(2));
  expect(asked[1]).toContain('/c2/messages');
  left = true;
  answers[1]?.();
  await reading;
  expect(asked).toHaveLength(2);
});

it('drops a thread that changed before it was opened, and reads an open one again', async () => {
  const { asked } = serve();
  const client = newClient();
  await prefetch(client, second, THREAD_ONLY);
  refreshThread(client, 'c2');
  expect(client.getQueryData(threadQuery('c2').queryKey)).toBeUndefined();

  await prefetch(client, third, THREAD_ONLY);
  const { queryKey } = threadQuery('c3');
  const stop = new InfiniteQueryObserver(client, threadQuery('c3')).subscribe(() => undefined);
  const before = asked.length;
  refreshThread(client, 'c3');
  expect(client.getQueryData(queryKey)).toBeDefined();
  await vi.waitFor(() => expect(asked.slice(before)).toEqual([expect.stringContaining('/c3/messages')]));
  stop();
});
