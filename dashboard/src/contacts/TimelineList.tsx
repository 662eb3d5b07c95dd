import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CalendarDays, Handshake, ListTodo, MessageCircle, StickyNote } from 'lucide-react';
import type { ReactNode } from 'react';
import { t, tDynamic } from '@/i18n';
import { money } from '@/i18n/time';
import { useCan } from '@/session/session';
import { Loading } from '@/ui/Spinner';
import { Time } from '@/ui/Time';
import {
  contactBookingsQuery,
  contactConversationsQuery,
  contactDealsQuery,
  contactInquiriesQuery,
  contactNotesQuery,
} from './queries';
import { type TimelineEntry, timeline } from './timeline';

const ICON = { size: 18, 'aria-hidden': true } as const;

export function Timeline({ contactId }: { contactId: string }) {
  const can = useCan();
  const notes = useQuery(contactNotesQuery(contactId));
  const conversations = useQuery({
    ...contactConversationsQuery(contactId),
    enabled: can('conversations:read'),
  });
  const deals = useQuery({ ...contactDealsQuery(contactId), enabled: can('deals:read') });
  const inquiries = useQuery({ ...contactInquiriesQuery(contactId), enabled: can('inquiries:read') });
  const bookings = useQuery(contactBookingsQuery(contactId));
  const entries = timeline({
    notes: notes.data,
    conversations: conversations.data,
    deals: deals.data,
    inquiries: inquiries.data,
    bookings: bookings.data,
  });
  if (entries.length === 0) {
    return [notes, conversations, deals, inquiries, bookings].some((query) => query.isLoading) ? (
      <Loading />
    ) : (
      <p className="text-ink-soft">{t('timeline.empty')}</p>
    );
  }
  return (
    <ol className="flex flex-col">
      {entries.map((entry) => (
        <li
          key={`${entry.kind}-${keyOf(entry)}`}
          className="flex gap-3 border-b border-line py-2.5 last:border-0"
        >
          <Line entry={entry} />
        </li>
      ))}
    </ol>
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

function Line({ entry }: { entry: TimelineEntry }) {
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
