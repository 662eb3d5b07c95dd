import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CornerDownRight } from 'lucide-react';
import { useEffect } from 'react';
import { call } from '@/api/client';
import type { Run } from '@/api/schema';
import { contactName } from '@/contacts/names';
import { useContactNames } from '@/contacts/queries';
import { t } from '@/i18n';
import { cost, duration } from '@/i18n/quantities';
import { useAssistantName } from '@/session/assistants';
import { onRowKeyDown } from '@/ui/rows';
import { Spinner } from '@/ui/Spinner';
import { Time } from '@/ui/Time';
import { useEndlessList } from '@/ui/useEndlessList';
import { useMedia } from '@/ui/useMedia';
import { useNow } from '@/ui/useNow';
import { durationMs, isActive, type RunFilter, type RunPages, replaceHead } from './list';
import { RUN_PAGE_ROWS, runsQuery } from './queries';
import { RunStatusBadge } from './StatusBadge';

const WIDE = '(min-width: 64rem)';
const WIDE_ROW_PX = 44;
const NARROW_ROW_PX = 64;
const COLUMNS = 'grid-cols-[8.5rem_9rem_minmax(0,1fr)_10rem_6rem_7rem_5rem]';
const TICK_MS = 1_000;

interface ListProps {
  runs: Run[];
  filter: RunFilter;
  hasMore: boolean;
  loadingMore: boolean;
  onMore: () => void;
}

/** A list of any length: only the rows in view are in the page, and only their contacts are asked for. */
export function RunList({ runs, filter, hasMore, loadingMore, onMore }: ListProps) {
  const wide = useMedia(WIDE);
  const rowPx = wide ? WIDE_ROW_PX : NARROW_ROW_PX;
  const { scroller, virtual, items } = useEndlessList({
    count: runs.length,
    rowPx,
    overscan: 4,
    keyOf: (index) => runs[index]?.id ?? index,
    hasMore,
    loadingMore,
    onMore,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of another height are measured anew
  useEffect(() => virtual.measure(), [rowPx]);
  const shown = items.flatMap(({ index }) => runs[index] ?? []);
  const active = shown.some(isActive);
  useFreshHead(filter, active);
  const now = useNow(TICK_MS);
  const names = useContactNames(shown.map((run) => run.contact_id));
  const assistantName = useAssistantName();
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto">
      {wide && (
        <div
          aria-hidden
          className={`sticky top-0 z-10 grid items-center gap-3 border-b border-line bg-canvas px-4 py-2 text-sm font-semibold text-ink-soft ${COLUMNS}`}
        >
          <span>{t('runs.status')}</span>
          <span>{t('runs.assistant')}</span>
          <span>{t('runs.goal')}</span>
          <span>{t('runs.contact')}</span>
          <span>{t('runs.started')}</span>
          <span className="text-end">{t('runs.duration')}</span>
          <span className="text-end">{t('runs.cost')}</span>
        </div>
      )}
      <ul
        data-rows
        aria-label={t('runs.list')}
        className="relative bg-surface"
        style={{ height: virtual.getTotalSize() }}
      >
        {items.map((item) => {
          const run = runs[item.index];
          if (!run) return null;
          const contact = run.contact_id ? contactName(names.get(run.contact_id)) : '';
          const props = { run, contact, assistant: assistantName(run.assistant_id), now };
          return (
            <li
              key={item.key}
              data-row
              onKeyDown={onRowKeyDown}
              aria-setsize={hasMore ? -1 : runs.length}
              aria-posinset={item.index + 1}
              style={{ height: rowPx, transform: `translateY(${item.start}px)` }}
              className="absolute inset-x-0 top-0 border-b border-line hover:bg-sunken"
            >
              {wide ? <WideRow {...props} /> : <NarrowRow {...props} />}
            </li>
          );
        })}
      </ul>
      {loadingMore && (
        <div className="flex justify-center p-2">
          <Spinner />
        </div>
      )}
    </div>
  );
}

interface RowProps {
  run: Run;
  contact: string;
  assistant: string;
  now: number;
}

function GoalLink({ run }: { run: Run }) {
  return (
    <Link
      to="/runs/$runId"
      params={{ runId: run.id }}
      dir="auto"
      className="block truncate font-medium after:absolute after:inset-0"
    >
      {run.goal || t('run.heading')}
    </Link>
  );
}

function SubMark({ run }: { run: Run }) {
  if (!run.parent_run_id) return null;
  return (
    <CornerDownRight
      size={14}
      role="img"
      aria-label={t('runs.sub')}
      className="me-1 inline shrink-0 text-ink-soft rtl:-scale-x-100"
    />
  );
}

function Duration({ run, now }: { run: Run; now: number }) {
  const ms = durationMs(run, now);
  return ms === null ? '–' : duration(ms);
}

function WideRow({ run, contact, assistant, now }: RowProps) {
  return (
    <div className={`relative grid h-full items-center gap-3 px-4 ${COLUMNS}`}>
      <RunStatusBadge status={run.status} />
      <span className="truncate">{assistant}</span>
      <span className="flex min-w-0 items-center">
        <SubMark run={run} />
        <span className="min-w-0 flex-1">
          <GoalLink run={run} />
        </span>
      </span>
      <span className="truncate text-ink-soft">{contact}</span>
      <span className="text-sm text-ink-soft">
        <Time at={run.created_at} />
      </span>
      <span className="text-end text-sm text-ink-soft tabular-nums">
        <Duration run={run} now={now} />
      </span>
      <span className="text-end text-sm tabular-nums">{cost(run.cost_usd)}</span>
    </div>
  );
}

function NarrowRow({ run, contact, assistant, now }: RowProps) {
  return (
    <div className="relative flex h-full flex-col justify-center gap-0.5 px-4">
      <div className="flex items-center gap-2">
        <span className="flex min-w-0 flex-1 items-center">
          <SubMark run={run} />
          <GoalLink run={run} />
        </span>
        <RunStatusBadge status={run.status} />
      </div>
      <div className="flex items-center gap-2 text-sm text-ink-soft">
        <span className="min-w-0 flex-1 truncate">{[assistant, contact].filter(Boolean).join(' · ')}</span>
        <span className="shrink-0 tabular-nums">
          <Duration run={run} now={now} /> · {cost(run.cost_usd)} · <Time at={run.created_at} />
        </span>
      </div>
    </div>
  );
}

/** While a run in view is at work, the newest page is read again with every notice, which say that it waits or goes on. */
function useFreshHead(filter: RunFilter, active: boolean): void {
  const client = useQueryClient();
  const { data } = useQuery({
    queryKey: ['runs-head', filter],
    queryFn: ({ signal }) => call('GET /runs', { query: { ...filter, limit: RUN_PAGE_ROWS } }, { signal }),
    enabled: active,
    gcTime: 0,
  });
  useEffect(() => {
    if (!data) return;
    const write = (pages: RunPages | undefined) => pages && replaceHead(pages, data, filter);
    client.setQueryData(runsQuery(filter).queryKey, write);
  }, [client, data, filter]);
}
