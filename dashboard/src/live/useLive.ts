/** Connects the event stream to the screen. Mounted once, while a member is signed in. */
import { notifyManager, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { endSession } from '@/api/client';
import { ApiError } from '@/api/errors';
import { sessionQuery } from '@/session/queries';
import { useSession } from '@/session/session';
import { Batches } from './batches';
import { applyAnyChange, applyChanges } from './changes';
import { type LiveContext, type LiveHandler, readBatch } from './handler';
import { broadcastChannel, SharedStream } from './shared';
import type { StreamEvent } from './sse';
import { setStreamState } from './state';
import { EventStream } from './stream';

const STREAM_URL = '/app/api/stream';

function schedule(task: () => void, milliseconds: number): () => void {
  const timer = setTimeout(task, milliseconds);
  return () => clearTimeout(timer);
}

/** Locks exist on https and on localhost only; elsewhere every tab follows a stream of its own. */
function lockBetweenTabs(name: string, task: () => Promise<void>): void {
  if (navigator.locks) void navigator.locks.request(name, task);
  else void task();
}

/** `handlers` must be the same list at every call. */
export function useLive(handlers: readonly LiveHandler[]): void {
  const client = useQueryClient();
  const router = useRouter();
  const { account, user } = useSession();

  useEffect(() => {
    const context: LiveContext = {
      client,
      me: user.id,
      path: () => router.state.location.pathname,
      open: (path) => void router.navigate({ to: path }),
      leads: () => stream.leads(),
    };
    const batches = new Batches<StreamEvent>({
      schedule,
      take: (streamed) => {
        const batch = readBatch(streamed);
        notifyManager.batch(() => {
          for (const handler of handlers) handler.apply?.(batch, context);
          applyChanges(handlers, batch.changes, client, user.id);
        });
        for (const handler of handlers) handler.tell?.(batch, context);
      },
    });
    let wasLost = false;
    const name = `frontdesk.stream.${account.id}.${user.id}`;
    const stream = new SharedStream({
      channel: broadcastChannel(name),
      lock: (task) => lockBetweenTabs(name, task),
      open: (options) =>
        new EventStream({
          ...options,
          url: STREAM_URL,
          fetch: window.fetch.bind(window),
          random: Math.random,
          schedule,
        }),
      onState: (state) => {
        setStreamState(state);
        for (const handler of handlers) {
          if (state === 'lost') handler.onLost?.();
          if (state === 'open' && wasLost) handler.onReturn?.(client);
        }
        if (state === 'open' && wasLost) applyAnyChange(handlers, client, user.id);
        wasLost = state === 'lost';
        if (state === 'ended')
          void client.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch((error) => {
            if (error instanceof ApiError && error.status === 401) endSession();
            else location.reload();
          });
      },
      onReset: () => {
        const predicate = ({ queryKey }: { queryKey: QueryKey }) => queryKey[0] !== 'session';
        // Events were missed: what is on screen is read again, and what is not is forgotten.
        client.removeQueries({ type: 'inactive', predicate });
        void client.invalidateQueries({ predicate });
      },
      onEvent: (event) => batches.push(event),
    });
    stream.start();
    const retry = () => stream.retryNow();
    const retryWhenSeen = () => !document.hidden && stream.retryNow();
    window.addEventListener('online', retry);
    document.addEventListener('visibilitychange', retryWhenSeen);
    return () => {
      stream.stop();
      batches.stop();
      window.removeEventListener('online', retry);
      document.removeEventListener('visibilitychange', retryWhenSeen);
    };
  }, [client, router, account.id, user.id, handlers]);
}
