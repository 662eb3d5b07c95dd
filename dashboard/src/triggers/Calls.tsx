import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { CallOutcome, TriggerCall } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { exactTime, fileSize } from '@/i18n/time';
import { useCan } from '@/session/session';
import { Button } from '@/ui/Button';
import { CodeBlock } from '@/ui/CodeBlock';
import { Disclosure } from '@/ui/Disclosure';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Section } from '@/ui/Page';
import { Loading } from '@/ui/Spinner';
import { Badge } from '@/ui/Tag';
import { Time } from '@/ui/Time';
import { callsQuery } from './queries';

/** Calls that show before the others are asked for. */
const SHOWN_FIRST = 10;

const TONES: Record<CallOutcome, 'neutral' | 'danger' | 'warning' | 'success'> = {
  started: 'success',
  not_started: 'warning',
  repeated: 'neutral',
  disabled: 'warning',
  rate_limited: 'warning',
  invalid: 'danger',
  too_large: 'danger',
  failed: 'danger',
};

/** The last calls of a webhook trigger's address, the newest first. */
export function Calls({ triggerId }: { triggerId: string }) {
  const [showsAll, setShowsAll] = useState(false);
  const query = useQuery(callsQuery(triggerId));
  const calls = query.data ?? [];
  return (
    <Section title={t('trigger.lastCalls')}>
      {query.isPending && <Loading />}
      {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {query.isSuccess && calls.length === 0 && <p className="text-ink-soft">{t('trigger.noCalls')}</p>}
      <ul className="-mx-4 divide-y divide-line empty:hidden">
        {calls.slice(0, showsAll ? undefined : SHOWN_FIRST).map((call) => (
          <li key={call.id} className="px-4">
            <Call call={call} />
          </li>
        ))}
      </ul>
      {!showsAll && calls.length > SHOWN_FIRST && (
        <Button kind="quiet" onClick={() => setShowsAll(true)}>
          {t('trigger.allCalls', { count: calls.length })}
        </Button>
      )}
    </Section>
  );
}

function Call({ call }: { call: TriggerCall }) {
  return (
    <Disclosure
      summary={
        <>
          <Badge tone={TONES[call.outcome]}>{tDynamic('callOutcome', call.outcome)}</Badge>
          <span className="flex-1 text-sm text-ink-soft">
            {call.count > 1 && t('trigger.timesCalled', { count: call.count })}
          </span>
          <span className="text-sm text-ink-soft">
            <Time at={call.last_called_at} />
          </span>
        </>
      }
    >
      <div className="flex flex-col gap-2 pb-3 text-sm">
        <p>
          {call.outcome === 'not_started' && call.error
            ? tDynamic('triggerRefusal', call.error)
            : tDynamic('callHelp', call.outcome)}{' '}
          <RunLink call={call} />
        </p>
        <p className="text-ink-soft">{factsOf(call).join(' · ')}</p>
        {call.body !== null && <CodeBlock label={t('trigger.callBody')} code={call.body} />}
      </div>
    </Disclosure>
  );
}

function RunLink({ call }: { call: TriggerCall }) {
  const can = useCan();
  if (!call.run_id || !can('runs:read')) return null;
  return (
    <Link to="/runs/$runId" params={{ runId: call.run_id }} className="text-accent underline">
      {t('trigger.showRun')}
    </Link>
  );
}

function factsOf(call: TriggerCall): string[] {
  const facts = [exactTime(call.last_called_at), `HTTP ${call.status_code}`];
  if (call.error) facts.push(call.error);
  if (call.address) facts.push(t('trigger.callFrom', { address: call.address }));
  if (call.body_bytes !== null) facts.push(fileSize(call.body_bytes));
  return facts;
}
