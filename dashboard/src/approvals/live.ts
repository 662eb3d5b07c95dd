/** Brings asks of the event stream into the lists, and tells the member of new ones. */
import type { QueryClient } from '@tanstack/react-query';
import type { Ask, Event } from '@/api/schema';
import { loadTexts, t, tDynamic } from '@/i18n';
import { alertPreferences, playTone, showNotification } from '@/live/alerts';
import type { LiveHandler } from '@/live/handler';
import { assistantsQuery } from '@/session/assistants';
import { notify } from '@/ui/toast';
import { putAsk } from './cache';

const APPROVALS_PATH = '/approvals';

/** The asks of a batch that still wait at its end. */
export function newAsks(events: readonly Event[]): Ask[] {
  const asks = new Map<string, Ask>();
  for (const { event_type: type, data } of events) {
    if (type === 'ask.created') asks.set(data.ask.id, data.ask);
    if (type === 'ask.answered') asks.delete(data.ask.id);
  }
  return [...asks.values()];
}

export const approvalsLive: LiveHandler = {
  apply({ events }, { client }) {
    for (const event of events) {
      if (event.event_type === 'ask.created' || event.event_type === 'ask.answered')
        putAsk(client, event.data.ask);
    }
  },
  tell({ events }, { client, path, open, leads }) {
    const last = newAsks(events).at(-1);
    // The page itself shows it.
    if (!last || (document.hasFocus() && path() === APPROVALS_PATH)) return;
    void Promise.all([nameOf(client, last.assistant_id), loadTexts('tools')]).then(([name]) => {
      const title = t('asks.new', { name });
      const show = () => open(APPROVALS_PATH);
      notify(title, { label: t('asks.open'), run: show });
      const preferences = alertPreferences();
      if (preferences.sound && leads()) playTone();
      if (preferences.desktop) showNotification(title, wordsOf(last), `ask ${last.id}`, show);
    });
  },
};

/** What an ask is about, in one line. */
export function wordsOf(ask: Ask): string {
  return ask.tool ? tDynamic('tool', ask.tool) : ask.prompt;
}

async function nameOf(client: QueryClient, id: string | null): Promise<string> {
  if (id === null) return t('asks.program');
  const assistants = await client.fetchQuery(assistantsQuery).catch(() => undefined);
  return assistants?.find((assistant) => assistant.id === id)?.name ?? t('assistant.unknown');
}
