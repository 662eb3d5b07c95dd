import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { CalendarClock, CircleStop, Copy, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { call } from '@/api/client';
import type { Broadcast, BroadcastReport } from '@/api/schema';
import { t } from '@/i18n';
import { useCan, useSession } from '@/session/session';
import { allTemplatesQuery } from '@/templates/queries';
import { PhonePreview } from '@/templates/TemplateBubble';
import { Button } from '@/ui/Button';
import { ButtonLink } from '@/ui/ButtonLink';
import { ConfirmDialog } from '@/ui/Dialog';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { BackLink, Page, Section, UnreadyPage } from '@/ui/Page';
import { Time } from '@/ui/Time';
import { Failures } from './Failures';
import { Funnel } from './Funnel';
import { ProgressBar } from './ProgressBar';
import { type Action, actionsOf, progressOf } from './progress';
import { broadcastQuery, reportQuery } from './queries';
import { Recipients } from './Recipients';
import { RetryDialog } from './RetryDialog';
import { ScheduleDialog } from './ScheduleDialog';
import { StatusBadge } from './StatusBadge';

const route = getRouteApi('/shell/broadcasts/$broadcastId');
const ICON = { size: 16, 'aria-hidden': true } as const;

const back = () => <BackLink to="/broadcasts" label={t('nav.broadcasts')} />;

export function BroadcastPage() {
  const { broadcastId } = route.useParams();
  const query = useQuery(broadcastQuery(broadcastId));
  if (!query.data) {
    return (
      <UnreadyPage
        title={t('broadcast.title')}
        back={back()}
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    );
  }
  return <Details key={broadcastId} broadcast={query.data} />;
}

function Details({ broadcast }: { broadcast: Broadcast }) {
  const { name, status, counts } = broadcast;
  const { done, total } = progressOf(counts);
  const hasStarted = status !== 'draft' && status !== 'scheduled';
  const report = useQuery(reportQuery(broadcast));
  return (
    <Page title={name} back={back()} actions={<Actions broadcast={broadcast} report={report.data} />}>
      <div className="mx-auto grid max-w-columns grid-cols-1 items-start gap-4 p-gutter lg:grid-cols-[1fr_18rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <Section title={t('broadcast.progress')} actions={<StatusBadge status={status} />}>
            <p aria-live="polite" className="mb-2">
              {hasStarted
                ? t('broadcast.doneOf', { done, total })
                : t('broadcast.recipients', { count: total })}
              {' · '}
              <span className="text-ink-soft">
                <StartLine broadcast={broadcast} />
                {report.data?.created_by && ` · ${t('broadcast.by', { name: report.data.created_by })}`}
                {status === 'sending' &&
                  report.data?.messages_per_second &&
                  ` · ${t('broadcast.pace', { count: report.data.messages_per_second })}`}
              </span>
            </p>
            {hasStarted && (
              <div className="flex flex-col gap-4">
                <ProgressBar counts={counts} label={t('broadcast.progressOf', { name })} />
                <Funnel counts={counts} />
              </div>
            )}
          </Section>
          {report.isError && <ErrorNotice error={report.error} onRetry={() => void report.refetch()} />}
          {report.data && <Failures report={report.data} />}
          <Recipients broadcast={broadcast} counts={report.data?.statuses} />
        </div>
        <Message broadcast={broadcast} />
      </div>
    </Page>
  );
}

function StartLine({
  broadcast: { status, scheduled_at: at, created_at: created },
}: {
  broadcast: Broadcast;
}) {
  const words =
    status === 'scheduled'
      ? t('broadcast.startsAt')
      : status === 'draft' || !at
        ? t('broadcast.createdAt')
        : t('broadcast.startedAt');
  return (
    <>
      {words} <Time at={at ?? created} style="medium" />
    </>
  );
}

/** The template as it was approved: each recipient has values of their own. */
function Message({ broadcast }: { broadcast: Broadcast }) {
  const { account } = useSession();
  const templates = useQuery(allTemplatesQuery).data ?? [];
  const { template } = broadcast;
  const found = templates.find((each) => each.name === template?.name && each.language === template.language);
  if (!template) return null;
  return (
    <Section title={t('broadcast.message')}>
      <p className="mb-3 truncate text-sm text-ink-soft">
        {template.name} · {template.language}
      </p>
      <PhonePreview {...(found && { template: found })} values={{}} from={account.name} />
    </Section>
  );
}

interface ActionsProps {
  broadcast: Broadcast;
  report: BroadcastReport | undefined;
}

function Actions({ broadcast, report }: ActionsProps) {
  const client = useQueryClient();
  const can = useCan();
  const [asked, setAsked] = useState<Action | null>(null);
  if (!can('broadcasts:send')) return null;
  const changed = (data: Broadcast) => {
    client.setQueryData(broadcastQuery(data.id).queryKey, data);
    void client.invalidateQueries({ queryKey: ['broadcasts'] });
    void client.invalidateQueries({ queryKey: ['broadcast', data.id] });
    void client.invalidateQueries({ queryKey: ['broadcast-report', data.id] });
  };
  const close = () => setAsked(null);
  const cancel = async () =>
    changed((await call('POST /broadcasts/{id}/cancel', { path: { id: broadcast.id } })).data);
  const allowed = actionsOf(broadcast);
  const { done, total } = progressOf(broadcast.counts);
  return (
    <>
      {broadcast.template && (
        <ButtonLink to="/broadcasts/new" search={{ copy: broadcast.id }} icon={<Copy {...ICON} />}>
          {t('broadcast.copy')}
        </ButtonLink>
      )}
      {allowed.includes('unschedule') && (
        <Button onClick={() => setAsked('unschedule')}>{t('broadcast.unschedule')}</Button>
      )}
      {allowed.includes('schedule') && (
        <Button kind="primary" icon={<CalendarClock {...ICON} />} onClick={() => setAsked('schedule')}>
          {broadcast.status === 'draft' ? t('broadcast.start') : t('broadcast.changeTime')}
        </Button>
      )}
      {allowed.includes('retry') && (
        <Button icon={<RotateCcw {...ICON} />} onClick={() => setAsked('retry')}>
          {t('broadcast.retry')}
        </Button>
      )}
      {allowed.includes('stop') && (
        <Button kind="danger" icon={<CircleStop {...ICON} />} onClick={() => setAsked('stop')}>
          {t('broadcast.stop')}
        </Button>
      )}
      <ConfirmDialog
        open={asked === 'stop'}
        onClose={close}
        title={t('broadcast.stopTitle')}
        description={t('broadcast.stopHelp', { done, total })}
        action={t('broadcast.stop')}
        onConfirm={cancel}
      />
      <ConfirmDialog
        open={asked === 'unschedule'}
        onClose={close}
        title={t('broadcast.unscheduleTitle')}
        description={t('broadcast.unscheduleHelp')}
        action={t('broadcast.unschedule')}
        onConfirm={cancel}
      />
      <ScheduleDialog broadcast={broadcast} open={asked === 'schedule'} onClose={close} onChanged={changed} />
      <RetryDialog {...{ broadcast, report }} open={asked === 'retry'} onClose={close} onChanged={changed} />
    </>
  );
}
