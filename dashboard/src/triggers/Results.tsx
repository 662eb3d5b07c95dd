import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Run, RunStatus, Trigger } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { useCan } from '@/session/session';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Section } from '@/ui/Page';
import { Loading } from '@/ui/Spinner';
import { Badge } from '@/ui/Tag';
import { Time } from '@/ui/Time';
import { resultsQuery } from './queries';

const TONES: Record<RunStatus, 'neutral' | 'accent' | 'danger' | 'warning' | 'success'> = {
  queued: 'accent',
  running: 'accent',
  waiting: 'warning',
  succeeded: 'success',
  failed: 'danger',
  cancelled: 'neutral',
};

/** The runs that the trigger has started, the newest first. */
export function Results({ trigger }: { trigger: Trigger }) {
  const readable = useCan()('runs:read');
  const query = useQuery({ ...resultsQuery(trigger.id), enabled: readable });
  if (!readable) return null;
  return (
    <Section title={trigger.kind === 'webhook' ? t('trigger.calls') : t('trigger.results')}>
      {trigger.last_error && (
        <p className="mb-2 text-danger">{tDynamic('triggerRefusal', trigger.last_error)}</p>
      )}
      {query.isPending && <Loading />}
      {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {query.data?.length === 0 && <p className="text-ink-soft">{t('trigger.noResults')}</p>}
      <ul className="-mx-4 divide-y divide-line">
        {query.data?.map((run) => (
          <Row key={run.id} run={run} />
        ))}
      </ul>
    </Section>
  );
}

function Row({ run }: { run: Run }) {
  return (
    <li className="relative px-4 py-2 hover:bg-sunken">
      <div className="flex items-center gap-2">
        <Badge tone={TONES[run.status]}>{tDynamic('runStatus', run.status)}</Badge>
        <Link
          to="/runs/$runId"
          params={{ runId: run.id }}
          className="min-w-0 flex-1 truncate text-sm after:absolute after:inset-0"
        >
          {run.error ?? run.result ?? run.goal}
        </Link>
        <span className="text-sm text-ink-soft">
          <Time at={run.created_at} />
        </span>
      </div>
    </li>
  );
}
