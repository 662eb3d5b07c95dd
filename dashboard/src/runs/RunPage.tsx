import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { ArrowLeft, CircleStop } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { call } from '@/api/client';
import type { Run } from '@/api/schema';
import { contactName } from '@/contacts/names';
import { useContactNames } from '@/contacts/queries';
import { t } from '@/i18n';
import { locale } from '@/i18n/index';
import { cost, duration } from '@/i18n/quantities';
import { mediumTime } from '@/i18n/time';
import { useAssistantName } from '@/session/assistants';
import { useCan } from '@/session/session';
import { Button, IconButton } from '@/ui/Button';
import { ConfirmDialog } from '@/ui/Dialog';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Page, Section } from '@/ui/Page';
import { Loading } from '@/ui/Spinner';
import { useNow } from '@/ui/useNow';
import { durationMs, isActive } from './list';
import { writeRuns } from './live';
import { runQuery, runStepsQuery } from './queries';
import { RunAsks } from './RunAsks';
import { RunTreeSection } from './RunTreeSection';
import { RunStatusBadge } from './StatusBadge';
import { Timeline } from './Timeline';

const route = getRouteApi('/shell/runs/$runId');
const TICK_MS = 1_000;
const LINK = 'font-medium text-accent underline';

/** What an assistant does in one run, as it happens. */
export function RunPage() {
  const { runId } = route.useParams();
  const client = useQueryClient();
  const run = useQuery(runQuery(runId));
  const steps = useQuery(runStepsQuery(client, runId));
  const status = run.data?.status;
  const { refetch } = steps;
  const before = useRef(status);
  // Once more when the status changes: the last steps are stored with the end of the run.
  useEffect(() => {
    if (before.current && before.current !== status) void refetch();
    before.current = status;
  }, [status, refetch]);
  const assistantName = useAssistantName();
  const router = useRouter();
  const failed = run.error ?? steps.error;
  return (
    <Page
      title={run.data ? t('run.title', { name: assistantName(run.data.assistant_id) }) : t('run.heading')}
      back={
        <IconButton
          label={t('run.back')}
          icon={<ArrowLeft size={18} aria-hidden className="rtl:rotate-180" />}
          onClick={() => router.history.back()}
        />
      }
      actions={run.data && isActive(run.data) && <CancelRun run={run.data} />}
    >
      <div className="page-column flex flex-col gap-4">
        {failed && (
          <ErrorNotice error={failed} onRetry={() => void run.refetch().then(() => steps.refetch())} />
        )}
        {(run.isPending || steps.isPending) && !failed && <Loading />}
        {run.data && (
          <>
            <Facts run={run.data} />
            <RunAsks key={`asks-${runId}`} asks={run.data.pending_asks} />
            <RunTreeSection run={run.data} steps={steps.data ?? []} />
          </>
        )}
        {run.data && steps.data && (
          <Section title={t('run.steps')}>
            <Timeline run={run.data} steps={steps.data} />
          </Section>
        )}
      </div>
    </Page>
  );
}

function CancelRun({ run }: { run: Run }) {
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  if (!useCan()('runs:start')) return null;
  const cancel = async () => {
    const { data } = await call('POST /runs/{id}/cancel', { path: { id: run.id } });
    client.setQueryData(runQuery(run.id).queryKey, data);
    writeRuns(client, [data]);
    await client.invalidateQueries({ queryKey: ['run-steps', run.id] });
  };
  return (
    <>
      <Button icon={<CircleStop size={16} aria-hidden />} onClick={() => setAsking(true)}>
        {t('run.cancel')}
      </Button>
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={t('run.cancelTitle')}
        description={t('run.cancelHelp')}
        action={t('run.cancelAction')}
        onConfirm={cancel}
      />
    </>
  );
}

function Facts({ run }: { run: Run }) {
  const now = useNow(TICK_MS);
  const ms = durationMs(run, now);
  const name = contactName(useContactNames([run.contact_id]).get(run.contact_id ?? ''));
  const tokens = {
    tokensIn: run.tokens_in.toLocaleString(locale()),
    tokensOut: run.tokens_out.toLocaleString(locale()),
  };
  const facts: Array<[string, ReactNode]> = [
    [t('run.goal'), run.goal],
    [t('run.result'), run.result],
    [t('run.error'), run.error && <span className="text-danger">{run.error}</span>],
    [
      t('run.contact'),
      run.contact_id && (
        <Link to="/contacts/$contactId" params={{ contactId: run.contact_id }} className={LINK}>
          {name}
        </Link>
      ),
    ],
    [
      t('run.conversation'),
      run.conversation_id && (
        <Link to="/inbox/$conversationId" params={{ conversationId: run.conversation_id }} className={LINK}>
          {t('run.openConversation')}
        </Link>
      ),
    ],
    [t('run.startedAt'), run.started_at && mediumTime(run.started_at)],
    [t('run.duration'), ms !== null && duration(ms)],
    [t('run.cost'), cost(run.cost_usd)],
    [t('run.calls'), String(run.tick_count)],
    [t('run.tokens'), t('run.tokensInOut', tokens)],
  ];
  return (
    <Section title={t('run.heading')} actions={<RunStatusBadge status={run.status} />}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5">
        {facts.map(([label, value]) =>
          value ? (
            <div key={label} className="contents">
              <dt className="text-ink-soft">{label}</dt>
              <dd dir="auto" className="min-w-0 break-words whitespace-pre-wrap">
                {value}
              </dd>
            </div>
          ) : null,
        )}
      </dl>
    </Section>
  );
}
