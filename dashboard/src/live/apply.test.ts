import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query';
import { afterEach, expect, it, vi } from 'vitest';
import type { ThreadMessage } from '@/api/app';
import { threadQuery } from '@/inbox/queries';
import type { ThreadPages } from '@/inbox/thread/entries';
import { message, page } from '@/testing/data';
import { applyEvent, applyThreadNotice } from './apply';

afterEach(() => vi.unstubAllGlobals());

it('keeps what an event brings while an older reading of the thread is under way', async () => {
  const sent = message('m1', { direction: 'outbound', sender_type: 'agent', status: 'sent' });
  const delivered: ThreadMessage = { ...sent, status: 'delivered' };
  let stored = sent;
  const answers: Array<() => void> = [];
  vi.stubGlobal('fetch', (_: string, init: RequestInit) => {
    const seen = stored;
    return new Promise<Response>((done, failed) => {
      init.signal?.addEventListener('abort', () => failed(new DOMException('aborted', 'AbortError')));
      answers.push(() => done(Response.json(page([seen]))));
    });
  });
  const client = new QueryClient();
  const query = threadQuery(sent.conversation_id);
  client.setQueryData(query.queryKey, { pages: [page([sent])], pageParams: [undefined] });
  const observer = new InfiniteQueryObserver(client, query);
  const stop = observer.subscribe(() => undefined);
  void observer.refetch();
  await vi.waitFor(() => expect(answers).not.toEqual([]));

  stored = delivered;
  const data = { message: delivered };
  applyEvent(
    client,
    { event_id: 'evt_1', event_type: 'message.delivered', created_at: sent.created_at, data },
    'bo',
  );
  const shown = () => client.getQueryData<ThreadPages>(query.queryKey)?.pages[0]?.data[0]?.status;
  expect(shown()).toBe('delivered');
  await vi.waitFor(() => expect(answers.length).toBeGreaterThan(1));
  for (const answer of answers) answer();
  await vi.waitFor(() => expect(client.isFetching({ queryKey: query.queryKey })).toBe(0));
  expect(shown()).toBe('delivered');
  stop();
});

it('reads a thread again after a notice, or every thread when the notice names none', async () => {
  const read: string[] = [];
  vi.stubGlobal('fetch', (url: string) => {
    read.push(/conversations\/(\w+)\//.exec(url)?.[1] ?? url);
    return Promise.resolve(Response.json(page([])));
  });
  const client = new QueryClient();
  const stops = ['c7', 'c8'].map((id) => {
    const query = threadQuery(id);
    client.setQueryData(query.queryKey, { pages: [page([])], pageParams: [undefined] });
    return new InfiniteQueryObserver(client, { ...query, staleTime: Infinity }).subscribe(() => undefined);
  });
  applyThreadNotice(client, { conversation_id: 'c7' });
  await vi.waitFor(() => expect(read).toEqual(['c7']));
  // The second notice about a thread within a burst waits for its end.
  applyThreadNotice(client, {});
  await vi.waitFor(() => expect(read.toSorted()).toEqual(['c7', 'c7', 'c8']));
  for (const stop of stops) stop();
});
