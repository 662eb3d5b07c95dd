import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { ArrowDown } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { InboxRow, ThreadMessage } from '@/api/app';
import { t } from '@/i18n';
import { dayHeading } from '@/i18n/time';
import { Button } from '@/ui/Button';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Loading, Spinner } from '@/ui/Spinner';
import { conversationChangesQuery, conversationNotesQuery, threadQuery } from '../queries';
import { useOutbox, useOutgoing } from '../services';
import { ChangeLine } from './ChangeLine';
import { type ThreadEntry, threadEntries } from './entries';
import { MessageBubble } from './MessageBubble';
import { NoteCard } from './NoteCard';
import { OutgoingBubble } from './OutgoingBubble';

/** How far from the end counts as reading older messages. */
const AWAY_PX = 200;
const LOAD_AHEAD_PX = 600;

interface ThreadProps {
  row: InboxRow;
  onQuote: (messageId: string) => void;
}

/**
 * The scroller runs from its end (`flex-col-reverse`), so the newest message is in view without a
 * script, and older pages that come in above do not move what is being read.
 */
export function Thread({ row, onQuote }: ThreadProps) {
  const { id } = row.conversation;
  const query = useInfiniteQuery(threadQuery(id));
  const notes = useQuery(conversationNotesQuery(id)).data;
  const changes = useQuery(conversationChangesQuery(id)).data;
  const outgoing = useOutgoing(id);
  const { isAnswered } = useOutbox();
  const scroller = useRef<HTMLDivElement>(null);
  const [away, setAway] = useState(false);
  const entries = useMemo(
    () => threadEntries(query.data, notes ?? [], outgoing, isAnswered, changes),
    [query.data, notes, outgoing, isAnswered, changes],
  );
  const messages = useMemo(() => {
    const all = query.data?.pages.flatMap((page) => page.data) ?? [];
    return new Map(all.map((message) => [message.id, message]));
  }, [query.data]);

  const toEnd = () => scroller.current?.scrollTo({ top: 0 });
  const lastOutgoing = outgoing.at(-1)?.id;
  useEffect(() => {
    if (lastOutgoing) scroller.current?.scrollTo({ top: 0 });
  }, [lastOutgoing]);

  const onScroll = () => {
    const element = scroller.current;
    if (!element) return;
    // In a reversed scroller the position is 0 at the end and negative above it.
    setAway(element.scrollTop < -AWAY_PX);
    const above = element.scrollHeight - element.clientHeight + element.scrollTop;
    if (above < LOAD_AHEAD_PX && query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage();
  };
  if (query.isPending)
    return (
      <div className="flex-1">
        <Loading />
      </div>
    );
  if (query.isError && !query.data)
    return (
      <div className="flex-1 p-4">
        <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
      </div>
    );
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        onScroll={onScroll}
        tabIndex={0}
        role="log"
        aria-label={t('thread.messages')}
        className="flex h-full flex-col-reverse overflow-y-auto"
      >
        <div className="flex flex-col gap-1.5 px-4 py-3">
          {query.hasNextPage && (
            <div className="flex justify-center">
              <Button
                kind="quiet"
                onClick={() => void query.fetchNextPage()}
                disabled={query.isFetchingNextPage}
              >
                {query.isFetchingNextPage ? <Spinner /> : t('thread.older')}
              </Button>
            </div>
          )}
          {entries.length === 0 && <p className="py-8 text-center text-ink-soft">{t('thread.empty')}</p>}
          {entries.map((entry) => (
            <Entry key={entry.key} entry={entry} messages={messages} onQuote={onQuote} onGoTo={goToMessage} />
          ))}
        </div>
      </div>
      {away && (
        <Button
          onClick={toEnd}
          icon={<ArrowDown size={16} aria-hidden />}
          className="absolute inset-x-0 bottom-3 mx-auto w-fit shadow-popup"
        >
          {t('thread.toEnd')}
        </Button>
      )}
    </div>
  );
}

function goToMessage(messageId: string): void {
  const element = document.getElementById(`message-${messageId}`);
  element?.scrollIntoView({ block: 'center' });
  element?.focus();
}

interface EntryProps {
  entry: ThreadEntry;
  messages: ReadonlyMap<string, ThreadMessage>;
  onQuote: (messageId: string) => void;
  onGoTo: (messageId: string) => void;
}

function Entry({ entry, messages, onQuote, onGoTo }: EntryProps) {
  switch (entry.kind) {
    case 'day':
      return (
        <div className="my-2 flex justify-center">
          <span className="rounded-full bg-sunken px-3 py-0.5 text-xs text-ink-soft">
            {dayHeading(entry.at, Date.now())}
          </span>
        </div>
      );
    case 'note':
      return <NoteCard note={entry.note} />;
    case 'change':
      return <ChangeLine change={entry.change} />;
    case 'outgoing':
      return <OutgoingBubble outgoing={entry.outgoing} />;
    case 'message': {
      const quotedId = entry.message.reply_to_message_id;
      return (
        <MessageBubble
          message={entry.message}
          quoted={quotedId ? (messages.get(quotedId) ?? null) : undefined}
          onQuote={onQuote}
          onGoTo={onGoTo}
        />
      );
    }
  }
}
