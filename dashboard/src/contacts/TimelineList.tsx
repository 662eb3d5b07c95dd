import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import {
  BellOff,
  Bot,
  CalendarDays,
  Handshake,
  History,
  ListTodo,
  MessageCircle,
  StickyNote,
} from 'lucide-react';
import type { ReactNode } from 'react';
import type { Deal } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { money } from '@/i18n/time';
import { useAssistantName } from '@/session/assistants';
import { useCan } from '@/session/session';
import { ErrorNotice } from '@/ui/ErrorNotice';
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
  contactRunsQuery,
  optOutQuery,
} from './queries';
import { type TimelineEntry, timeline } from './timeline';

/** The source of an opt-out that no channel has brought. */
const BY_API = 'api';
const ICON = { size: 18, 'aria-hidden': true } as const;

interface TimelineProps {
  contactId: string;
  /** The deal on whose page it is: its changes are shown without its title. */
  ownDealId?: string;
}

export function Timeline({ contactId, ownDealId }: TimelineProps) {
  const can = useCan();
  const sources = {
    notes: useQuery(contactNotesQuery(contactId)),
    conversations: useQuery({
      ...contactConversationsQuery(contactId),
      enabled: can('conversations:read'),
    }),
    deals: useQuery({ ...contactDealsQuery(contactId), enabled: can('deals:read') }),
    changes: useInfiniteQuery({ ...contactDealChangesQuery(contactId), enabled: can('deals:read') }),
    inquiries: useQuery({ ...contactInquiriesQuery(contactId), enabled: can('inquiries:read') }),
    bookings: useQuery(contactBookingsQuery(contactId)),
    runs: useQuery({ ...contactRunsQuery(contactId), enabled: can('runs:read') }),
    optOut: useQuery(optOutQuery(contactId)),
  };
  const { notes, conversations, deals, changes: history, inquiries, bookings, runs, optOut } = sources;
  const changes = history.data?.pages.flatMap((page) => page.data) ?? [];
  const names = useChangeNames(changes);
  const entries = timeline({
    notes: notes.data,
    conversations: conversations.data,
    deals: deals.data,
    changes,
    hasOlderChanges: history.hasNextPage,
    inquiries: inquiries.data,
    bookings: bookings.data,
    runs: runs.data,
    optOut: optOut.data,
  });
  const parts = Object.entries(sources);
  const failed = parts.filter(([, query]) => query.isError);
  const isLoading = parts.some(([, query]) => query.isLoading);
  return (
    <>
      {failed.length > 0 && (
        <ErrorNotice
          title={t('timeline.missing', {
            parts: failed.map(([part]) => tDynamic('timelinePart', part)).join(', '),
          })}
          error={failed[0]?.[1].error}
          onRetry={() => {
            for (const [, query] of failed) void query.refetch();
          }}
        />
      )}
      {entries.length === 0 && isLoading && <Loading />}
      {entries.length === 0 && !isLoading && failed.length === 0 && (
        <p className="text-ink-soft">{t('timeline.empty')}</p>
      )}
      <ol className="flex flex-col">
        {entries.map((entry) => (
          <li
            key={`${entry.kind}-${keyOf(entry)}`}
            className="flex gap-3 border-b border-line py-2.5 last:border-0"
          >
            <Line entry={entry} deals={deals.data ?? []} names={names} ownDealId={ownDealId} />
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
    case 'run':
      return entry.run.id;
    case 'optOut':
      return entry.optOut.contact_id;
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
  ownDealId: string | undefined;
}

function Line({ entry, deals, names, ownDealId }: LineProps) {
  const assistantName = useAssistantName();
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
      if (change.deal_id === ownDealId)
        return (
          <Row icon={<History {...ICON} />} at={entry.at}>
            <span className="block first-letter:uppercase">
              <DealChangeText change={change} names={names} />
            </span>
          </Row>
        );
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
    case 'run':
      return (
        <Row icon={<Bot {...ICON} />} at={entry.at}>
          <Link to="/runs/$runId" params={{ runId: entry.run.id }} className={link}>
            {assistantName(entry.run.assistant_id)}
          </Link>{' '}
          · {tDynamic('runStatus', entry.run.status)}
          <p className="truncate text-ink-soft">{entry.run.goal}</p>
        </Row>
      );
    case 'optOut': {
      const { source } = entry.optOut;
      return (
        <Row icon={<BellOff {...ICON} />} at={entry.at}>
          {t('contact.optedOut')}
          {source !== null && source !== BY_API && ` · ${tDynamic('channel', source)}`}
        </Row>
      );
    }
  }
}
