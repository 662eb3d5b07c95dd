/** Connects the event stream to the screen. Mounted once, while a member is signed in. */
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Presence } from '@/api/app';
import { knownRow, refreshThreads } from '@/inbox/cache';
import { useInboxCounts } from '@/inbox/counts';
import { sessionQuery, useSession } from '@/session/session';
import { useWindowTitle } from '@/ui/usePageTitle';
import { alertPreferences, playTone, shouldAlert, showDesktop } from './alerts';
import { applyEvent, applyThreadNotice, type Envelope, type ThreadNotice } from './apply';
import { tellMention } from './mentions';
import { clearPresence, setPresence } from './presence';
import { broadcastChannel, SharedStream } from './shared';
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

export function useLive(): void {
  const client = useQueryClient();
  const router = useRouter();
  const { account, user } = useSession();
  useWindowTitle(useInboxCounts()?.unread ?? 0, account.name);

  useEffect(() => {
    const alertOf = ({ event_type: type, data }: Envelope) => {
      if (type !== 'message.received' || !data.message) return;
      const message = data.message;
      const preferences = alertPreferences();
      const row = data.inbox_row ?? knownRow(client, message.conversation_id);
      const path = `/inbox/${message.conversation_id}`;
      const looking =
        document.hasFocus() && router.state.location.pathname === path ? message.conversation_id : null;
      if (!shouldAlert(message, row, { me: user.id, onlyMine: preferences.onlyMine, lookingAt: looking }))
        return;
      // One tab is enough to hear it; notifications of several tabs replace each other by themselves.
      if (preferences.sound && stream.leads()) playTone();
      if (preferences.desktop) showDesktop(row, message, () => void router.navigate({ to: path }));
    };
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
        void client.invalidateQueries({ predicate: (query) => query.queryKey[0] !== 'session' });
      },
      onEvent: (event) => {
        if (event.type === 'presence') return setPresence(JSON.parse(event.data) as Presence);
        if (event.type === 'thread') return applyThreadNotice(client, JSON.parse(event.data) as ThreadNotice);
        const envelope = JSON.parse(event.data) as Envelope;
        applyEvent(client, envelope, user.id);
        alertOf(envelope);
        tellMention(client, envelope, user.id, (id) => void router.navigate({ to: `/inbox/${id}` }));
      },
    });
    stream.start();
    const retry = () => stream.retryNow();
    const retryWhenSeen = () => !document.hidden && stream.retryNow();
    window.addEventListener('online', retry);
    document.addEventListener('visibilitychange', retryWhenSeen);
    return () => {
      stream.stop();
      window.removeEventListener('online', retry);
      document.removeEventListener('visibilitychange', retryWhenSeen);
    };
  }, [client, router, account.id, user.id]);
}
