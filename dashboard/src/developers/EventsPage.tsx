import { useQuery } from '@tanstack/react-query';
import { Pause, Play, Plus, Radio } from 'lucide-react';
import { useDeferredValue, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { Event, EventType } from '@/api/schema';
import { useCommands } from '@/commands/commands';
import { t, withTexts } from '@/i18n';
import { mediumTime } from '@/i18n/time';
import { useCan } from '@/session/session';
import { Button } from '@/ui/Button';
import { CodeBlock } from '@/ui/CodeBlock';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { lazyDialog } from '@/ui/Lazy';
import { Page } from '@/ui/Page';
import { SearchField } from '@/ui/SearchField';
import { EventList } from './EventList';
import { EventTypeField } from './EventTypeField';
import { EVENTS_KEPT_MAX, eventLog, filterEvents } from './eventLog';
import { eventTypesQuery, storedEventsQuery } from './queries';

const ContactDialog = lazyDialog(() =>
  withTexts(() => import('@/contacts/ContactForm'), 'contacts').then((module) => module.ContactDialog),
);

/** Every event of the account as it happens, with its payload. */
export function EventsPage() {
  const { events, paused, waiting } = useSyncExternalStore(eventLog.subscribe, eventLog.read);
  const [type, setType] = useState<EventType>();
  const [typed, setTyped] = useState('');
  const words = useDeferredValue(typed);
  const [chosen, setChosen] = useState<Event | null>(null);
  const [creating, setCreating] = useState(false);
  const stored = useQuery(storedEventsQuery(type));
  useEffect(() => {
    if (stored.data) eventLog.addStored(stored.data);
  }, [stored.data]);
  const shown = useMemo(() => filterEvents(events, { type, words }), [events, type, words]);
  // What the server had is in the log one render after it came.
  const isEmpty = shown.length === 0 && stored.isSuccess && (events.length > 0 || stored.data.length === 0);
  const toggle = () => (paused ? eventLog.resume() : eventLog.pause());
  useCommands([
    {
      id: 'events.pause',
      group: t('nav.developers'),
      label: paused ? t('events.resume') : t('events.pause'),
      run: toggle,
    },
  ]);
  return (
    <Page
      title={t('developers.events')}
      actions={
        <Button
          onClick={toggle}
          icon={paused ? <Play size={16} aria-hidden /> : <Pause size={16} aria-hidden />}
        >
          {paused ? t('events.resume') : t('events.pause')}
        </Button>
      }
    >
      <div className="flex h-full min-h-0 flex-col">
        <div className="filter-bar">
          <div className="min-w-40 flex-1">
            <SearchField label={t('events.search')} value={typed} onChange={setTyped} />
          </div>
          <div className="w-52 max-sm:w-40">
            <EventTypeField value={type} onChange={setType} />
          </div>
          <p role="status" className="w-full text-sm text-ink-soft sm:w-auto">
            {paused ? t('events.paused', { count: waiting }) : t('events.live', { max: EVENTS_KEPT_MAX })}
          </p>
        </div>
        {stored.isError && <ErrorNotice error={stored.error} onRetry={() => void stored.refetch()} />}
        {isEmpty ? (
          <Empty
            isFiltered={type !== undefined || words !== ''}
            onClear={() => {
              setType(undefined);
              setTyped('');
            }}
            onCreate={() => setCreating(true)}
          />
        ) : (
          <div className="flex min-h-0 flex-1 flex-col md:flex-row">
            <EventList events={shown} chosen={chosen?.event_id} onChoose={setChosen} />
            <Payload event={chosen} />
          </div>
        )}
      </div>
      <ContactDialog open={creating} onClose={() => setCreating(false)} />
    </Page>
  );
}

interface EmptyProps {
  isFiltered: boolean;
  onClear: () => void;
  onCreate: () => void;
}

/** Nothing is shown: because of a filter, or because nothing has happened yet. */
function Empty({ isFiltered, onClear, onCreate }: EmptyProps) {
  const writable = useCan()('contacts:write');
  if (isFiltered)
    return (
      <EmptyState
        icon={<Radio size={40} />}
        title={t('events.noMatch')}
        action={<Button onClick={onClear}>{t('inbox.clearFilters')}</Button>}
      />
    );
  return (
    <EmptyState
      icon={<Radio size={40} />}
      title={t('events.empty')}
      action={
        writable && (
          <Button kind="primary" icon={<Plus size={16} aria-hidden />} onClick={onCreate}>
            {t('events.newContact')}
          </Button>
        )
      }
    >
      {t('events.emptyHelp')}
    </EmptyState>
  );
}

function Payload({ event }: { event: Event | null }) {
  const types = useQuery(eventTypesQuery).data;
  if (!event)
    return <p className="p-4 text-ink-soft max-md:hidden md:w-1/2 md:flex-none">{t('events.choose')}</p>;
  return (
    <section
      aria-label={t('events.payload')}
      className="min-h-0 flex-1 overflow-y-auto border-line p-4 max-md:border-t md:w-1/2 md:flex-none"
    >
      <h2 className="font-mono font-semibold">{event.event_type}</h2>
      <p className="mb-2 text-sm text-ink-soft">
        <span lang="en">{types?.find(({ event_type: type }) => type === event.event_type)?.description}</span>{' '}
        {mediumTime(event.created_at)}
      </p>
      <CodeBlock label={t('events.payload')} code={JSON.stringify(event, null, 2)} height="any" />
    </section>
  );
}
