import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { CircleCheckBig } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Ask } from '@/api/schema';
import { useCommands } from '@/commands/commands';
import { KEYS } from '@/commands/shortcuts';
import { contactName } from '@/contacts/names';
import { useContactNames } from '@/contacts/queries';
import { t, tDynamic } from '@/i18n';
import { useCan } from '@/session/session';
import { ButtonLink } from '@/ui/ButtonLink';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { FilterChips } from '@/ui/FilterChips';
import { LoadMore } from '@/ui/LoadMore';
import { Page } from '@/ui/Page';
import { LoadingRows } from '@/ui/Spinner';
import { Badge } from '@/ui/Tag';
import { Time } from '@/ui/Time';
import { AskBody, AskIcon, useAskTitle } from './AskCard';
import { ASK_VIEWS, asksOf, isOpen, neighbour } from './asks';
import { asksQuery, useAskRun } from './queries';

const route = getRouteApi('/shell/approvals');
const ROW_PX = 60;

/** What waits for a person. One ask is unfolded, and the keys are for that one. */
export function ApprovalsPage() {
  const view = route.useSearch().view ?? 'waiting';
  const navigate = useNavigate();
  const query = useInfiniteQuery(asksQuery(view));
  const asks = asksOf(query.data);
  const [chosen, setChosen] = useState<string>();
  const first = asks.find(isOpen)?.id;
  // Chosen once: when a colleague answers it, the keys must not be for another one without a word.
  if (chosen === undefined && first) setChosen(first);
  const list = useRef<HTMLUListElement>(null);
  // Asked for by a key: the focus follows, and with it the view and the screen reader.
  const [focused, setFocused] = useState<string>();
  useEffect(() => {
    if (!focused) return;
    list.current?.querySelector<HTMLElement>(`[data-ask="${focused}"]`)?.focus();
    setFocused(undefined);
  }, [focused]);
  const goTo = (ask: Ask | undefined) => {
    if (!ask) return;
    setChosen(ask.id);
    setFocused(ask.id);
  };
  const step = (by: 1 | -1) => goTo(neighbour(asks, chosen, by));
  useCommands([
    {
      id: 'asks.next',
      group: t('nav.approvals'),
      label: t('asks.next'),
      shortcut: KEYS.next,
      run: () => step(1),
    },
    {
      id: 'asks.previous',
      group: t('nav.approvals'),
      label: t('asks.previous'),
      shortcut: KEYS.previous,
      run: () => step(-1),
    },
  ]);
  return (
    <Page
      title={t('nav.approvals')}
      actions={
        <>
          <ButtonLink to="/runs" kind="quiet">
            {t('nav.runs')}
          </ButtonLink>
          <FilterChips
            label={t('asks.views')}
            chips={ASK_VIEWS.map((value) => ({ value, label: tDynamic('asks', value) }))}
            value={view}
            onChange={(next) => {
              setChosen(undefined);
              void navigate({
                to: '/approvals',
                search: next === 'all' ? { view: 'all' } : {},
                replace: true,
              });
            }}
          />
        </>
      }
    >
      <div className="page-column">
        {query.isPending && <LoadingRows rowPx={ROW_PX} />}
        {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
        {query.isSuccess && asks.length === 0 && <Nothing all={view === 'all'} />}
        {asks.length > 0 && (
          <ul
            ref={list}
            aria-label={t('asks.list')}
            className="overflow-hidden rounded-xl border border-line bg-surface"
          >
            {asks.map((ask) => (
              <AskRow
                key={ask.id}
                ask={ask}
                open={ask.id === chosen}
                onOpen={() => setChosen(ask.id)}
                // It stays unfolded with its outcome; the next key leads on.
                onDone={() => goTo(neighbour(asks, ask.id, 1) ?? ask)}
              />
            ))}
          </ul>
        )}
        <LoadMore query={query} />
      </div>
    </Page>
  );
}

interface RowProps {
  ask: Ask;
  open: boolean;
  onOpen: () => void;
  onDone: () => void;
}

function AskRow({ ask, open, onOpen, onDone }: RowProps) {
  const title = useAskTitle()(ask);
  const run = useAskRun(ask);
  const contactId = run?.contact_id ?? null;
  const contact = useContactNames([contactId]).get(contactId ?? '');
  const about = contactId ? contactName(contact) : (run?.goal ?? '');
  const waits = isOpen(ask);
  return (
    <li className="border-t border-line first:border-t-0">
      <button
        type="button"
        data-ask={ask.id}
        aria-expanded={open}
        onClick={onOpen}
        className={`flex w-full items-center gap-3 px-3 py-2 text-start ${open ? 'bg-selected' : 'hover:bg-sunken'}`}
        style={{ minHeight: ROW_PX }}
      >
        <AskIcon ask={ask} />
        <span className="min-w-0 flex-1">
          <span className="block truncate font-medium">{title}</span>
          <span dir="auto" className="block truncate text-sm text-ink-soft">
            {[about, ask.tool ? '' : ask.prompt].filter(Boolean).join(' · ')}
          </span>
        </span>
        {!waits && <Badge>{tDynamic('askStatus', ask.status)}</Badge>}
        <span className="shrink-0 text-sm text-ink-soft">
          <Time at={ask.created_at} style="relative" />
        </span>
      </button>
      <div className={open ? 'border-t border-line p-3 ps-4' : 'hidden'}>
        {(open || waits) && <Unfolded ask={ask} open={open} onDone={onDone} />}
      </div>
    </li>
  );
}

/** Drawn when it is first unfolded, and kept then: what was typed stays. */
function Unfolded({ ask, open, onDone }: { ask: Ask; open: boolean; onDone: () => void }) {
  const [wasOpen, setWasOpen] = useState(open);
  if (open && !wasOpen) setWasOpen(true);
  return wasOpen ? <AskBody ask={ask} takesKeys={open} withContext onDone={onDone} /> : null;
}

function Nothing({ all }: { all: boolean }) {
  const can = useCan();
  return (
    <EmptyState
      icon={<CircleCheckBig size={40} />}
      title={all ? t('asks.emptyAll') : t('asks.empty')}
      action={can('assistants:write') && <ButtonLink to="/assistants">{t('asks.emptyAction')}</ButtonLink>}
    >
      {t('asks.emptyHelp')}
    </EmptyState>
  );
}
