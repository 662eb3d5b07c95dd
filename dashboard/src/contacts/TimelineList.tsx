import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CalendarDays, Handshake, ListTodo, MessageCircle, StickyNote } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Deal } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { money } from '@/i18n/time';
import { useCan } from '@/session/session';
import { LoadMore } from '@/ui/LoadMore';
import { Loading } from '@/ui/Spinner';
import { Time } from '@/ui/Time';
import { DealChangeText, useChangeNames } from './DealChangeText';
import type { Names } from './dealChanges';
import {
  contactBookingsQuery,
  contactConversationsQuery,
  contactDealChangesQuery,
  contactDealsQuery,
  contactInquiriesQuery,
  contactNotesQuery,
} from './queries';
import { type TimelineEntry, timeline } from './timeline';

const ICON = { size: 18, 'aria-hidden': true } as const;

interface TimelineProps {
  contactId: string;
  /** A deal whose changes are shown beside the timeline. */
  exceptDealId?: string;
}

export function Timeline({ contactId, exceptDealId }: TimelineProps) {
  const can = useCan();
  const notes = useQuery(contactNotesQuery(contactId));
  const conversations = useQuery({
    ...contactConversationsQuery(contactId),
    enabled: can('conversations:read'),
  });
  const deals = useQuery({ ...contactDealsQuery(contactId), enabled: can('deals:read') });
  const inquiries = useQuery({ ...contactInquiriesQuery(contactId), enabled: can('inquiries:read') });
  const bookings = useQuery(contactBookingsQuery(contactId));
  const history = useInfiniteQuery({ ...contactDealChangesQuery(contactId), enabled: can('deals:read') });
  const changes = history.data?.pages.flatMap((page) => page.data) ?? [];
  const names = useChangeNames(changes);
  const isShown = (dealId: string) => dealId !== exceptDealId;
  const entries = timeline({
    notes: notes.data,
    conversations: conversations.data,
    deals: deals.data?.filter((deal) => isShown(deal.id)),
    changes: changes.filter((change) => isShown(change.deal_id)),
    hasOlderChanges: history.hasNextPage,
    inquiries: inquiries.data,
    bookings: bookings.data,
  });
  if (entries.length === 0) {
    return [notes, conversations, deals, history, inquiries, bookings].some((query) => query.isLoading) ? (
      <Loading />
    ) : (
      <p className="text-ink-soft">{t('timeline.empty')}</p>
    );
  }
  return (
    <>
      <ol className="flex flex-col">
        {entries.map((entry) => (
          <li
            key={`${entry.kind}-${keyOf(entry)}`}
            className="flex gap-3 border-b border-line py-2.5 last:border-0"
          >
            <Line entry={entry} deals={deals.data ?? []} names={names} />
          </li>
        ))}
      </ol>
      <LoadMore query={history} />
    </>
  );
}

function keyOf(entry: TimelineEntry): string {
  switch (entry.kind) {
    case 'note':
      return entry.note.id;
    case 'conversation':
      return entry.conversation.id;
    case 'deal':
    case 'dealClosed':
      return entry.deal.id;
    case 'dealChange':
      return entry.change.id;
    case 'inquiry':
      return entry.inquiry.id;
    case 'booking':
      return entry.booking.id;
  }
}

function Row({ icon, at, children }: { icon: ReactNode; at: string; children: ReactNode }) {
  return (
    <>
      <span className="mt-0.5 text-ink-soft">{icon}</span>
      <div className="min-w-0 flex-1 break-words">{children}</div>
      <span className="shrink-0 text-sm text-ink-soft">
        <Time at={at} />
      </span>
    </>
  );
}

interface LineProps {
  entry: TimelineEntry;
  deals: readonly Deal[];
  names: Names;
}

function Line({ entry, deals, names }: LineProps) {
  const link = 'font-medium hover:underline';
  switch (entry.kind) {
    case 'note':
      return (
        <Row icon={<StickyNote {...ICON} />} at={entry.at}>
          {entry.note.body}
        </Row>
      );
    case 'conversation':
      return (
        <Row icon={<MessageCircle {...ICON} />} at={entry.at}>
          <Link
            to="/inbox/$conversationId"
            params={{ conversationId: entry.conversation.id }}
            className={link}
          >
            {tDynamic('channel', entry.conversation.channel)}
          </Link>
          {entry.conversation.last_message_text && (
            <p className="truncate text-ink-soft">{entry.conversation.last_message_text}</p>
          )}
        </Row>
      );
    case 'deal':
    case 'dealClosed':
      return (
        <Row icon={<Handshake {...ICON} />} at={entry.at}>
          <Link to="/deals/$dealId" params={{ dealId: entry.deal.id }} className={link}>
            {entry.deal.title}
          </Link>{' '}
          {entry.kind === 'deal' ? t('timeline.dealCreated') : tDynamic('dealStatus', entry.deal.status)}
          {entry.deal.value !== null && ` · ${money(entry.deal.value, entry.deal.currency)}`}
        </Row>
      );
    case 'dealChange': {
      const { change } = entry;
      return (
        <Row icon={<Handshake {...ICON} />} at={entry.at}>
          <Link to="/deals/$dealId" params={{ dealId: change.deal_id }} className={link}>
            {deals.find((deal) => deal.id === change.deal_id)?.title ?? t('dealChange.deal')}
          </Link>
          {' · '}
          <DealChangeText change={change} names={names} />
        </Row>
      );
    }
    case 'inquiry':
      return (
        <Row icon={<ListTodo {...ICON} />} at={entry.at}>
          <Link to="/inquiries/$inquiryId" params={{ inquiryId: entry.inquiry.id }} className={link}>
            {entry.inquiry.form ?? t('nav.inquiries')}
          </Link>
          {entry.inquiry.message && <p className="truncate text-ink-soft">{entry.inquiry.message}</p>}
        </Row>
      );
    case 'booking':
      return (
        <Row icon={<CalendarDays {...ICON} />} at={entry.at}>
          {entry.booking.title} · {tDynamic('bookingStatus', entry.booking.status)}
        </Row>
      );
  }
}
