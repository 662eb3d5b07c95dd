/** Connects the event stream to the screen. Mounted once, while a member is signed in. */
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { knownRow, refreshThreads } from '@/inbox/cache';
import { useInboxCounts } from '@/inbox/counts';
import { sessionQuery } from '@/session/queries';
import { useSession } from '@/session/session';
import { useWindowTitle } from '@/ui/usePageTitle';
import { announce, toAnnounce } from './alerts';
import { applyHeard, hear } from './apply';
import { Batches } from './batches';
import { tellMention } from './mentions';
import { clearPresence, setPresence } from './presence';
import { broadcastChannel, SharedStream } from './shared';
import type { StreamEvent } from './sse';
import { setStreamState } from './state';
import { EventStream } from './stream';

const STREAM_URL = '/app/api/stream';
const INBOX_PATH = '/inbox/';

function schedule(task: () => void, milliseconds: number): () => void {
  const timer = setTimeout(task, milliseconds);
  return () => clearTimeout(timer);
}

/** Locks exist on https and on localhost only; elsewhere every tab follows a stream of its own. */
function lockBetweenTabs(name: string, task: () => Promise<void>): void {
  if (navigator.locks) void navigator.locks.request(name, task);
  else void task();
}

export function useLive(): void {
  const client = useQueryClient();
  const router = useRouter();
  const { account, user } = useSession();
  useWindowTitle(useInboxCounts()?.unread ?? 0, account.name);

  useEffect(() => {
    const open = (id: string) => void router.navigate({ to: `/inbox/${id}` });
    const lookingAt = () => {
      const path = router.state.location.pathname;
      return document.hasFocus() && path.startsWith(INBOX_PATH) ? path.slice(INBOX_PATH.length) : null;
    };
    const batches = new Batches<StreamEvent>({
      schedule,
      take: (events) => {
        const heard = hear(events);
        for (const presence of heard.presences) setPresence(presence);
        applyHeard(client, heard, user.id);
        const row = (id: string) => heard.rows.get(id) ?? knownRow(client, id);
        announce(toAnnounce(heard.envelopes, row, user.id, lookingAt()), stream.leads(), open);
        for (const envelope of heard.envelopes) void tellMention(client, envelope, user.id, open);
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
        if (state === 'lost') clearPresence();
        // Events are made up for after a loss, notices are not.
        if (state === 'open' && wasLost) refreshThreads(client);
        wasLost = state === 'lost';
        // Reading the session answers 401, which leads to the sign-in page.
        if (state === 'ended')
          void client.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch(() => location.reload());
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
  }, [client, router, account.id, user.id]);
}
