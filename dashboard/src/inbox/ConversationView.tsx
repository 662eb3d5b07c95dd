import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useDeferredValue, useEffect, useRef, useState } from 'react';
import type { InboxRow } from '@/api/app';
import { useOpenAskCount } from '@/approvals/queries';
import { t, withTexts } from '@/i18n';
import { useMemberName } from '@/session/members';
import { useCan } from '@/session/session';
import { afterPaint } from '@/ui/afterPaint';
import { lazyDialog } from '@/ui/Lazy';
import { BackLink, UnreadyPage } from '@/ui/Page';
import { type ConversationActions, useConversationActions } from './actions';
import { ContactPanel } from './ContactPanel';
import { ConversationHeader } from './ConversationHeader';
import { listedRow } from './cache';
import { Composer } from './composer/Composer';
import { focusComposer } from './composer/focus';
import { WIDE } from './panel';
import { useViewers, useVisitorTyping } from './presence';
import { inboxRowQuery } from './queries';
import { useDrafts } from './services';
import { Thread } from './thread/Thread';

const Dialog = lazyDialog(() => import('@/ui/Dialog').then((module) => module.Dialog));

const ConversationAsks = lazy(async () => ({
  default: (await withTexts(() => import('@/approvals/ConversationAsks'), 'approvals', 'tools'))
    .ConversationAsks,
}));

interface ViewProps {
  id: string;
  onBack: () => void;
  /** It is about to be closed, and still in its list. */
  onClosing: () => void;
  panelOpen: boolean;
  onPanel: (open: boolean) => void;
}

export function ConversationView({ id, onBack, onClosing, panelOpen, onPanel }: ViewProps) {
  const client = useQueryClient();
  const query = useQuery({ ...inboxRowQuery(id), ...listedRow(client, id) });
  const can = useCan();
  const drafts = useDrafts();
  const actions = useConversationActions();
  const row = query.data;
  const wide = useWide();
  // The contact is drawn after the thread. Until then the one before stays, out of sight.
  const panelId = useDeferredValue(id, '');
  const panelContact = useDeferredValue(row?.contact.id ?? '', '');
  const panelChannel = useDeferredValue(row?.conversation.channel);

  const quote = useCallback(
    (messageId: string) => {
      drafts.set(id, 'reply', { text: '', ...drafts.get(id, 'reply'), replyTo: messageId }, Date.now());
      focusComposer();
    },
    [drafts, id],
  );
  // Set while it is marked as unread and left: what is still on screen must not read it again.
  const leaving = useRef('');
  useEffect(
    () => () => {
      if (leaving.current === id) leaving.current = '';
    },
    [id],
  );
  useMarkRead(row, can('conversations:write') && leaving.current !== id, actions.markRead);
  const markUnread = async () => {
    leaving.current = id;
    const done = await actions.markUnread(id);
    // Another conversation may have been opened meanwhile.
    if (leaving.current !== id) return;
    if (done) onBack();
    else leaving.current = '';
  };

  const toggleClosed = () => {
    const closed = row?.conversation.status === 'closed';
    if (!closed) onClosing();
    void actions.setStatus(id, closed ? 'open' : 'closed');
  };

  if (!row) {
    return (
      <UnreadyPage
        title={t('nav.inbox')}
        back={<BackLink to="/inbox" label={t('inbox.back')} />}
        error={query.error}
        onRetry={() => void query.refetch()}
      />
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
          onToggleClosed={toggleClosed}
          panelOpen={panelOpen}
          onPanel={onPanel}
        />
        <Thread key={`thread-${id}`} row={row} onQuote={quote} />
        <Viewers conversationId={id} />
        <WaitingAsks key={`asks-${id}`} conversationId={id} />
        {can('messages:send') && <Composer key={`composer-${id}`} row={row} />}
      </section>
      {panelOpen && wide && (
        <aside
          aria-label={t('panel.label')}
          className="w-80 shrink-0 overflow-y-auto border-s border-line bg-surface"
        >
          {panelId && panelContact && (
            <div className={panelId === id ? '' : 'invisible'}>
              <ContactPanel
                key={panelId}
                contactId={panelContact}
                conversationId={panelId}
                channel={panelChannel}
              />
            </div>
          )}
        </aside>
      )}
      {!wide && (
        <Dialog open={panelOpen} onClose={() => onPanel(false)} title={t('panel.label')}>
          <ContactPanel
            key={id}
            contactId={row.contact.id}
            conversationId={id}
            channel={row.conversation.channel}
          />
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: a conversation that is opened again is read again
  useEffect(() => {
    tried.current = '';
  }, [id]);
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
    const cancel = afterPaint(read);
    window.addEventListener('focus', read);
    return () => {
      cancel();
      window.removeEventListener('focus', read);
    };
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

/** Looked for while any ask waits. It stays once it is shown, with who answered. */
function WaitingAsks({ conversationId }: { conversationId: string }) {
  const waits = useOpenAskCount() > 0;
  const [shown, setShown] = useState(waits);
  if (waits && !shown) setShown(true);
  return (
    shown && (
      <Suspense fallback={null}>
        <ConversationAsks conversationId={conversationId} />
      </Suspense>
    )
  );
}

function Viewers({ conversationId }: { conversationId: string }) {
  const viewers = useViewers(conversationId);
  const visitorTypes = useVisitorTyping(conversationId);
  const memberName = useMemberName();
  const typing = viewers.filter((viewer) => viewer.typing);
  const names = (list: typeof viewers) => list.map((viewer) => memberName(viewer.user_id)).join(', ');
  return (
    <p aria-live="polite" className="min-h-6 px-4 text-sm text-accent-strong">
      {visitorTypes && <span className="me-2">{t('presence.visitorTyping')}</span>}
      {typing.length > 0
        ? t('presence.typing', { names: names(typing) })
        : viewers.length > 0
          ? t('presence.viewing', { names: names(viewers) })
          : ''}
    </p>
  );
}
