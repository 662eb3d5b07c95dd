import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { useAttempts } from '@/api/attempts';
import type { Trigger, TriggerPreview } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { useCan, useSession } from '@/session/session';
import { Button } from '@/ui/Button';
import { CodeBlock } from '@/ui/CodeBlock';
import { ConfirmDialog } from '@/ui/Dialog';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Section } from '@/ui/Page';
import { Loading } from '@/ui/Spinner';
import { notify } from '@/ui/toast';
import { useDebounced } from '@/ui/useDebounced';
import { useNow } from '@/ui/useNow';
import { Calls } from './Calls';
import { dueText } from './describe';
import { type Draft, hasAudience, previewBodyOf } from './draft';
import { hookCommand } from './hook';
import { draftPreviewQuery, previewQuery, resultsQuery, triggerQuery } from './queries';
import { Results } from './Results';
import { momentOfInput } from './schedule';

const REFRESH_MS = 30_000;

interface SideProps {
  /** Undefined until it is saved. */
  trigger: Trigger | undefined;
  draft: Draft;
  isDirty: boolean;
  /** Undefined for a member who may not. */
  onRotate: (() => void) | undefined;
}

/** What the trigger will do, and what it has done. */
export function TriggerSide({ trigger, draft, isDirty, onRotate }: SideProps) {
  const { timezone } = useSession().account;
  const preview = useQuery({
    ...previewQuery(trigger?.id ?? '', trigger?.updated_at ?? ''),
    enabled: trigger !== undefined,
  });
  const wanted = JSON.stringify(previewBodyOf(draft, timezone));
  const settled = useDebounced(wanted);
  const ofDraft = useQuery(draftPreviewQuery(JSON.parse(wanted === 'null' ? wanted : settled)));
  // A saved trigger knows whether it has fired.
  const affected = trigger && !isDirty ? preview : ofDraft;
  const fired =
    trigger?.kind === 'once' && !isDirty && preview.data ? [preview.data.next_fire_at] : undefined;
  const times = wanted === 'null' ? [] : (fired ?? ofDraft.data?.fire_times ?? []);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <NextTimes
        draft={draft}
        times={times.flatMap((time) => (time ? [Date.parse(time)] : []))}
        query={ofDraft}
      />
      {hasAudience(draft) && (
        <Section title={t('trigger.affected')}>
          {wanted === 'null' && <p className="text-ink-soft">{t('trigger.chooseToSee')}</p>}
          {affected.isLoading && <Loading />}
          {affected.isError && <ErrorNotice error={affected.error} onRetry={() => void affected.refetch()} />}
          {wanted !== 'null' && affected.data && (
            <Affected preview={affected.data} audience={draft.audience} />
          )}
        </Section>
      )}
      {draft.kind === 'webhook' && trigger?.kind === 'webhook' && (
        <>
          <Hook onRotate={onRotate} />
          <Calls triggerId={trigger.id} />
        </>
      )}
      {trigger && <TestRun trigger={trigger} isDirty={isDirty} targets={preview.data?.target_count ?? 0} />}
      {trigger && <Results trigger={trigger} />}
    </div>
  );
}

interface TimesProps {
  draft: Draft;
  times: number[];
  query: Pick<UseQueryResult, 'isLoading' | 'isError' | 'error' | 'refetch'>;
}

/** When it fires next. Times outside the sending hours are those at which they begin. */
function NextTimes({ draft, times, query }: TimesProps) {
  const { timezone } = useSession().account;
  const now = useNow(REFRESH_MS);
  const runAt = draft.kind === 'once' ? momentOfInput(draft.runAt, timezone) : undefined;
  if (draft.kind === 'event' || draft.kind === 'webhook') return null;
  return (
    <Section title={t('trigger.nextTimes')}>
      {query.isLoading && <Loading />}
      {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {times.length === 0 && !query.isLoading && !query.isError && (
        <p className="text-ink-soft">{t('trigger.noTimes')}</p>
      )}
      <ol className="flex flex-col gap-1 empty:hidden">
        {times.map((time) => (
          <li key={time} className="tabular-nums">
            <time dateTime={new Date(time).toISOString()}>{dueText(time, timezone)}</time>
          </li>
        ))}
      </ol>
      <p className="mt-2 text-sm text-ink-soft">
        {t('trigger.zone', { zone: timezone })}
        {draft.quietHours && ` ${t('trigger.mayWait')}`}
      </p>
      {runAt !== undefined && runAt <= now && (
        <p className="mt-1 text-sm text-warning">{t('trigger.past')}</p>
      )}
      {!draft.enabled && <p className="mt-1 text-sm text-warning">{t('trigger.isOff')}</p>}
    </Section>
  );
}

interface AffectedProps {
  preview: Pick<TriggerPreview, 'reason' | 'target_count' | 'targets'>;
  audience: Trigger['audience_type'];
}

function Affected({ preview, audience }: AffectedProps) {
  const more = preview.target_count - preview.targets.length;
  return (
    <>
      {preview.reason && <p className="mb-2 text-warning">{tDynamic('triggerRefusal', preview.reason)}</p>}
      {audience === 'none' ? (
        <p>{t('trigger.affectsNobody')}</p>
      ) : (
        <p>{t('trigger.affects', { count: preview.target_count })}</p>
      )}
      <ul className="mt-1 columns-2 text-sm">
        {preview.targets.map((target) => (
          <li key={target.contact_id} className="truncate">
            <Link
              to="/contacts/$contactId"
              params={{ contactId: target.contact_id }}
              className="text-accent underline"
            >
              {target.name ?? t('contact.unnamed')}
            </Link>
          </li>
        ))}
      </ul>
      {more > 0 && <p className="text-sm text-ink-soft">{t('trigger.andMore', { count: more })}</p>}
    </>
  );
}

function Hook({ onRotate }: { onRotate: (() => void) | undefined }) {
  const [asking, setAsking] = useState(false);
  return (
    <Section
      title={t('trigger.hook')}
      actions={onRotate && <Button onClick={() => setAsking(true)}>{t('trigger.newAddress')}</Button>}
    >
      <p className="mb-2 text-sm text-ink-soft">{t('trigger.hookOnce')}</p>
      <CodeBlock
        label={t('ui.curl')}
        code={hookCommand(`${window.location.origin}/api/ai/triggers/hook/…`)}
      />
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={t('trigger.newAddress')}
        description={t('trigger.newAddressHelp')}
        action={t('trigger.newAddress')}
        onConfirm={async () => onRotate?.()}
      />
    </Section>
  );
}

function TestRun({ trigger, isDirty, targets }: { trigger: Trigger; isDirty: boolean; targets: number }) {
  const client = useQueryClient();
  const attempts = useAttempts();
  const can = useCan();
  const [asking, setAsking] = useState(false);
  const run = useMutation({
    mutationFn: () => attempts.call('POST /triggers/{id}/run', { path: { id: trigger.id } }),
    onSuccess: async ({ data }) => {
      notify(
        data.runs.length > 0 || !data.trigger.last_error
          ? t('trigger.started', { count: data.runs.length })
          : tDynamic('triggerRefusal', data.trigger.last_error),
      );
      client.setQueryData(triggerQuery(trigger.id).queryKey, data.trigger);
      await client.invalidateQueries({ queryKey: resultsQuery(trigger.id).queryKey });
    },
  });
  if (!can('runs:start')) return null;
  return (
    <Section title={t('trigger.test')}>
      <p className="mb-2 text-sm text-ink-soft">{isDirty ? t('trigger.testSaved') : t('trigger.testHelp')}</p>
      <Button icon={<Play size={16} aria-hidden />} disabled={isDirty} onClick={() => setAsking(true)}>
        {t('trigger.runNow')}
      </Button>
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={t('trigger.runNow')}
        description={
          trigger.audience_type === 'none'
            ? t('trigger.runNobody')
            : t('trigger.runContacts', { count: targets })
        }
        action={t('trigger.runNow')}
        onConfirm={() => run.mutateAsync()}
      />
    </Section>
  );
}
