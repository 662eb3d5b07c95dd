import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import type { Run, RunEvent } from '@/api/schema';
import { useAssistantName } from '@/assistants/names';
import { t, tDynamic } from '@/i18n';
import { clockTime, fullTime, mediumTime, money } from '@/i18n/time';
import { IconButton } from '@/ui/Button';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Page, Section } from '@/ui/Page';
import { Loading } from '@/ui/Spinner';
import { Badge } from '@/ui/Tag';
import { runQuery, runStepsQuery } from './queries';

const route = getRouteApi('/shell/runs/$runId');

/** What an assistant did in one run, to read. */
export function RunPage() {
  const { runId } = route.useParams();
  const run = useQuery(runQuery(runId));
  const steps = useQuery(runStepsQuery(runId));
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
    >
      <div className="mx-auto flex max-w-3xl flex-col gap-4 p-4">
        {failed && (
          <ErrorNotice error={failed} onRetry={() => void run.refetch().then(() => steps.refetch())} />
        )}
        {(run.isPending || steps.isPending) && !failed && <Loading />}
        {run.data && <Facts run={run.data} />}
        {steps.data && (
          <Section title={t('run.steps')}>
            <ol className="flex flex-col gap-2">
              {/* The server lists the newest first. */}
              {steps.data.toReversed().map((step) => (
                <Step key={step.id} step={step} />
              ))}
            </ol>
          </Section>
        )}
      </div>
    </Page>
  );
}

function Facts({ run }: { run: Run }) {
  const facts: Array<[string, string | null]> = [
    [t('run.goal'), run.goal],
    [t('run.result'), run.result],
    [t('run.error'), run.error],
    [t('run.started'), run.started_at && mediumTime(run.started_at)],
    [t('run.finished'), run.finished_at && mediumTime(run.finished_at)],
    [t('run.cost'), money(run.cost_usd, 'USD')],
  ];
  return (
    <Section title={t('run.heading')} actions={<Badge>{tDynamic('runStatus', run.status)}</Badge>}>
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

function Step({ step }: { step: RunEvent }) {
  const details = JSON.stringify(step.data, null, 2);
  return (
    <li className="rounded-lg border border-line px-3 py-2">
      <details>
        <summary className="flex cursor-pointer items-baseline gap-2">
          <span className="flex-1">{tDynamic('runStep', step.type)}</span>
          <time
            dateTime={step.created_at}
            title={fullTime(step.created_at)}
            className="text-xs text-ink-soft"
          >
            {clockTime(step.created_at)}
          </time>
        </summary>
        <pre dir="ltr" className="mt-2 overflow-x-auto text-xs break-words whitespace-pre-wrap">
          {details}
        </pre>
      </details>
    </li>
  );
}
