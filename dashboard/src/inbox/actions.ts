/** What can be done to a conversation. Shown at once, undone with a message when the server refuses. */
import { useQueryClient } from '@tanstack/react-query';
import { call } from '@/api/client';
import type { Conversation, Handover } from '@/api/schema';
import { t } from '@/i18n';
import { useSession } from '@/session/session';
import { notify, notifyFailure } from '@/ui/toast';
import { patchConversation, refreshCounts } from './cache';

type Change = Partial<Conversation>;

export function useConversationActions() {
  const client = useQueryClient();
  const me = useSession().user.id;

  const attempt = async (id: string, change: Change, request: () => Promise<{ data: Conversation }>) => {
    const undo = patchConversation(client, id, change, me);
    try {
      patchConversation(client, id, (await request()).data, me);
      refreshCounts(client);
      return true;
    } catch (error) {
      undo();
      notifyFailure(t('inbox.changeFailed'), error);
      return false;
    }
  };

  return {
    assign: (id: string, userId: string | null) =>
      attempt(id, { assigned_user_id: userId }, () =>
        call('PATCH /conversations/{id}', { path: { id }, body: { assigned_user_id: userId } }),
      ),
    setStatus: async (id: string, status: Conversation['status']) => {
      const done = await attempt(id, { status, snoozed_until: null }, () =>
        call('PATCH /conversations/{id}', { path: { id }, body: { status } }),
      );
      if (done && status === 'closed') {
        const reopen = () =>
          void attempt(id, { status: 'open' }, () =>
            call('PATCH /conversations/{id}', { path: { id }, body: { status: 'open' } }),
          );
        notify(t('inbox.closed'), { label: t('ui.undo'), run: reopen });
      }
    },
    snooze: (id: string, until: Date | null) => {
      const value = until?.toISOString() ?? null;
      const change: Change = { snoozed_until: value, status: value ? 'pending' : 'open' };
      return attempt(id, change, () =>
        call('POST /conversations/{id}/snooze', { path: { id }, body: { until: value } }),
      );
    },
    markUnread: (id: string) =>
      attempt(id, { unread_count: 1 }, () => call('POST /conversations/{id}/unread', { path: { id } })),
    /** Happens by itself, so that a failure is not worth a message: the conversation stays unread. */
    markRead: async (id: string) => {
      const undo = patchConversation(client, id, { unread_count: 0 }, me);
      try {
        await call('POST /conversations/{id}/read', { path: { id } });
        refreshCounts(client);
      } catch {
        undo();
      }
    },
    handOver: (id: string, to: Handover) =>
      attempt(id, { handler: to.to }, () =>
        call('POST /conversations/{id}/handover', { path: { id }, body: to }),
      ),
  };
}

export type ConversationActions = ReturnType<typeof useConversationActions>;
