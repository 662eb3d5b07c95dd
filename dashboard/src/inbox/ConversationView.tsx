import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { InboxRow } from '@/api/app';
import { t } from '@/i18n';
import { useViewers } from '@/live/presence';
import { useMemberName } from '@/session/members';
import { useCan } from '@/session/session';
import { Dialog } from '@/ui/Dialog';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Loading } from '@/ui/Spinner';
import { type ConversationActions, useConversationActions } from './actions';
import { ContactPanel } from './ContactPanel';
import { ConversationHeader } from './ConversationHeader';
import { knownRow } from './cache';
import { Composer } from './composer/Composer';
import { focusComposer } from './composer/focus';
import { WIDE } from './panel';
import { inboxRowQuery } from './queries';
import { useDrafts } from './services';
import { Thread } from './thread/Thread';

interface ViewProps {
  id: string;
  onBack: () => void;
  panelOpen: boolean;
  onPanel: (open: boolean) => void;
}

export function ConversationView({ id, onBack, panelOpen, onPanel }: ViewProps) {
  const client = useQueryClient();
  // The list has the row already: the thread need not wait for another reading of it.
  const query = useQuery({ ...inboxRowQuery(id), placeholderData: () => knownRow(client, id) });
  const can = useCan();
  const drafts = useDrafts();
  const actions = useConversationActions();
  const row = query.data;
  const wide = useWide();

  const quote = useCallback(
    (messageId: string) => {
      drafts.set(id, 'reply', { text: drafts.get(id, 'reply')?.text ?? '', replyTo: messageId }, Date.now());
      focusComposer();
    },
    [drafts, id],
  );
  // Set while it is marked as unread and left: what is still on screen must not read it again.
  const leaving = useRef('');
  useMarkRead(row, can('conversations:write') && leaving.current !== id, actions.markRead);
  const markUnread = async () => {
    leaving.current = id;
    if (await actions.markUnread(id)) onBack();
    else leaving.current = '';
  };

  if (!row && query.isPending) return <Loading />;
  if (!row) {
    return (
      <div className="flex-1 p-4">
        <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
      </div>
    );
  }
  return (
    <>
      <section aria-label={t('thread.label')} className="flex min-w-0 flex-1 flex-col">
        <ConversationHeader
          row={row}
          actions={actions}
          onBack={onBack}
          onMarkUnread={() => void markUnread()}
          panelOpen={panelOpen}
          onPanel={onPanel}
        />
        <Thread row={row} onQuote={quote} />
        <Viewers conversationId={id} />
        {can('messages:send') && <Composer row={row} />}
      </section>
      {panelOpen && wide && (
        <aside
          aria-label={t('panel.label')}
          className="w-80 shrink-0 overflow-y-auto border-s border-line bg-surface"
        >
          <ContactPanel contactId={row.contact.id} conversationId={id} />
        </aside>
      )}
      {!wide && (
        <Dialog open={panelOpen} onClose={() => onPanel(false)} title={t('panel.label')}>
          <ContactPanel contactId={row.contact.id} conversationId={id} />
        </Dialog>
      )}
    </>
  );
}

/** Read when it is opened, and when a message comes while it is in front. Marking it unread leaves it. */
function useMarkRead(
  row: InboxRow | undefined,
  allowed: boolean,
  markRead: ConversationActions['markRead'],
): void {
  const latest = useRef(markRead);
  latest.current = markRead;
  const tried = useRef('');
  const id = row?.conversation.id;
  const unread = row?.conversation.unread_count ?? 0;
  const activity = row?.last_activity_at;
  useEffect(() => {
    if (!id || !allowed || unread === 0) return;
    const read = () => {
      // Once per message: a refusal brings the count back, and must not be answered by another attempt.
      const attempt = `${unread} ${activity}`;
      if (!document.hasFocus() || tried.current === attempt) return;
      tried.current = attempt;
      void latest.current(id);
    };
    read();
    window.addEventListener('focus', read);
    return () => window.removeEventListener('focus', read);
  }, [id, unread, activity, allowed]);
}

function useWide(): boolean {
  const [wide, setWide] = useState(() => window.matchMedia(WIDE).matches);
  useEffect(() => {
    const media = window.matchMedia(WIDE);
    const update = () => setWide(media.matches);
    media.addEventListener('change', update);
    return () => media.removeEventListener('change', update);
  }, []);
  return wide;
}

function Viewers({ conversationId }: { conversationId: string }) {
  const viewers = useViewers(conversationId);
  const memberName = useMemberName();
  const typing = viewers.filter((viewer) => viewer.typing);
  const names = (list: typeof viewers) => list.map((viewer) => memberName(viewer.user_id)).join(', ');
  return (
    <p aria-live="polite" className="min-h-6 px-4 text-sm text-accent-strong">
      {typing.length > 0
        ? t('presence.typing', { names: names(typing) })
        : viewers.length > 0
          ? t('presence.viewing', { names: names(viewers) })
          : ''}
    </p>
  );
}
