import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CalendarDays } from 'lucide-react';
import { useState } from 'react';
import { useAttempts } from '@/api/attempts';
import type { Booking, BookingStatus } from '@/api/schema';
import { Notes } from '@/contacts/Notes';
import { contactName } from '@/contacts/names';
import { OpenConversation } from '@/contacts/OpenConversation';
import { contactNotesQuery, useContactNames } from '@/contacts/queries';
import { t, tDynamic } from '@/i18n';
import { clockTime, dayHeading } from '@/i18n/time';
import { useCan, useIsAdmin } from '@/session/session';
import { ButtonLink } from '@/ui/ButtonLink';
import { Dialog } from '@/ui/Dialog';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { FilterChips } from '@/ui/FilterChips';
import { LoadMore } from '@/ui/LoadMore';
import { Page } from '@/ui/Page';
import { Loading } from '@/ui/Spinner';
import { Badge } from '@/ui/Tag';
import { byDay } from './days';
import { type BookingFilter, bookingsQuery } from './queries';

const WHEN = ['upcoming', 'past'] as const;
const STATUSES: readonly BookingStatus[] = ['scheduled', 'completed', 'cancelled'];

export function BookingsPage() {
  const [when, setWhen] = useState<BookingFilter['when']>('upcoming');
  const [status, setStatus] = useState<BookingStatus | ''>('');
  const [shown, setShown] = useState<Booking | null>(null);
  const isAdmin = useIsAdmin();
  // The moment the page was opened: a list must not shift while it is read.
  const [now] = useState(() => new Date().toISOString());
  const query = useInfiniteQuery(bookingsQuery({ when, status, now }));
  const bookings = query.data?.pages.flatMap((page) => page.data) ?? [];
  const names = useContactNames(bookings.map((booking) => booking.contact_id));
  return (
    <Page title={t('nav.bookings')}>
      <div className="filter-bar">
        <FilterChips
          label={t('bookings.when')}
          chips={WHEN.map((value) => ({ value, label: tDynamic('bookings', value) }))}
          value={when}
          onChange={(next) => setWhen(next ?? 'upcoming')}
        />
        <span aria-hidden className="h-5 border-s border-line" />
        <FilterChips
          label={t('bookings.status')}
          all={t('ui.anyStatus')}
          chips={STATUSES.map((value) => ({ value, label: tDynamic('bookingStatus', value) }))}
          value={status || undefined}
          onChange={(next) => setStatus(next ?? '')}
        />
      </div>
      {query.isPending && <Loading />}
      {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {query.isSuccess && bookings.length === 0 && (
        <EmptyState
          icon={<CalendarDays size={40} />}
          title={when === 'upcoming' ? t('bookings.emptyUpcoming') : t('bookings.emptyPast')}
          action={
            isAdmin && (
              <ButtonLink kind="primary" to="/settings/booking-sources">
                {t('bookingSources.new')}
              </ButtonLink>
            )
          }
        >
          {t('bookings.emptyHelp')}
        </EmptyState>
      )}
      <div className="page-column">
        {byDay(bookings, when).map((day) => (
          <section key={day.at} className="mb-4">
            <h2 className="mb-1 font-semibold">{dayHeading(day.at, Date.now())}</h2>
            <ul className="divide-y divide-line rounded-xl border border-line bg-surface">
              {day.bookings.map((booking) => (
                <li key={booking.id}>
                  <button
                    type="button"
                    onClick={() => setShown(booking)}
                    className="flex w-full items-center gap-3 px-3 py-2.5 text-start hover:bg-sunken"
                  >
                    <span className="w-28 shrink-0 tabular-nums text-ink-soft">
                      {clockTime(booking.start_at)}–{clockTime(booking.end_at)}
                    </span>
                    <span className="min-w-0 flex-1">
                      <span className="block font-medium">{booking.title}</span>
                      {booking.contact_id && (
                        <span className="block text-ink-soft">
                          {contactName(names.get(booking.contact_id))}
                        </span>
                      )}
                    </span>
                    <Badge tone={booking.status === 'scheduled' ? 'accent' : 'neutral'}>
                      {tDynamic('bookingStatus', booking.status)}
                    </Badge>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ))}
        <LoadMore query={query} />
      </div>
      <Dialog open={shown !== null} onClose={() => setShown(null)} title={shown?.title ?? ''}>
        {shown && (
          <BookingDetail
            booking={shown}
            name={shown.contact_id ? contactName(names.get(shown.contact_id)) : null}
          />
        )}
      </Dialog>
    </Page>
  );
}

function BookingDetail({ booking, name }: { booking: Booking; name: string | null }) {
  const attempts = useAttempts();
  const client = useQueryClient();
  const writable = useCan()('contacts:write');
  const id = booking.contact_id;
  const notes = useQuery({ ...contactNotesQuery(id ?? ''), enabled: id !== null }).data;
  const addNote = async (body: string) => {
    await attempts.call('POST /contacts/{id}/notes', { path: { id: id ?? '' }, body: { body } });
    await client.invalidateQueries({ queryKey: ['contact-notes', id] });
  };
  return (
    <div className="flex flex-col gap-3">
      <p>
        {dayHeading(booking.start_at, Date.now())}, {clockTime(booking.start_at)}–{clockTime(booking.end_at)}
      </p>
      <p>
        <Badge>{tDynamic('bookingStatus', booking.status)}</Badge>
      </p>
      {id ? (
        <>
          <div className="flex flex-wrap items-center gap-2">
            <Link
              to="/contacts/$contactId"
              params={{ contactId: id }}
              className="flex-1 font-medium text-accent underline"
            >
              {name}
            </Link>
            <OpenConversation contactId={id} />
          </div>
          <h3 className="font-semibold">{t('contact.notes')}</h3>
          <Notes notes={notes} onAdd={writable ? addNote : undefined} />
        </>
      ) : (
        <p className="text-ink-soft">{t('bookings.noContact')}</p>
      )}
    </div>
  );
}
