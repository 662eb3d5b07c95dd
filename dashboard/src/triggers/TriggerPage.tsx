import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Bot } from 'lucide-react';
import { useRef, useState } from 'react';
import { useAttempts } from '@/api/attempts';
import { call } from '@/api/client';
import type { Trigger } from '@/api/schema';
import { t } from '@/i18n';
import { assistantsQuery } from '@/session/assistants';
import { useCan, useSession } from '@/session/session';
import { AdminOnly } from '@/settings/AdminOnly';
import { Button } from '@/ui/Button';
import { ButtonLink } from '@/ui/ButtonLink';
import { ConfirmDialog } from '@/ui/Dialog';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { BackLink, Page, UnreadyPage } from '@/ui/Page';
import { notify } from '@/ui/toast';
import { bodyOf, draftOf, emptyDraft, isComplete, isSame } from './draft';
import { HookDialog } from './HookDialog';
import { triggerQuery, triggersQuery } from './queries';
import { TriggerForm } from './TriggerForm';
import { TriggerSide } from './TriggerSide';

const route = getRouteApi('/shell/triggers/$triggerId');

export function TriggerPage() {
  const { triggerId } = route.useParams();
  const isNew = triggerId === 'new';
  const assistants = useQuery(assistantsQuery);
  const trigger = useQuery({ ...triggerQuery(triggerId), enabled: !isNew });
  const failed = assistants.error ?? trigger.error;
  if (failed || !assistants.data || (!isNew && !trigger.data)) {
    return (
      <UnreadyPage
        title={isNew ? t('trigger.new') : t('nav.triggers')}
        back={<BackLink to="/triggers" label={t('nav.triggers')} />}
        error={failed}
        onRetry={() => void Promise.all([assistants.refetch(), !isNew && trigger.refetch()])}
      />
    );
  }
  const [first] = assistants.data;
  if (isNew && !first) {
    return (
      <Page title={t('trigger.new')} back={<BackLink to="/triggers" label={t('nav.triggers')} />}>
        <EmptyState
          icon={<Bot size={40} />}
          title={t('trigger.noAssistant')}
          action={
            <ButtonLink to="/assistants" kind="primary">
              {t('nav.assistants')}
            </ButtonLink>
          }
        >
          {t('trigger.noAssistantHelp')}
        </EmptyState>
      </Page>
    );
  }
  const editor = <Editor key={triggerId} trigger={trigger.data} assistantId={first?.id ?? ''} />;
  // An agent reads the triggers that are there.
  return isNew ? <AdminOnly>{editor}</AdminOnly> : editor;
}

function Editor({ trigger, assistantId }: { trigger: Trigger | undefined; assistantId: string }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const attempts = useAttempts();
  const can = useCan();
  const writable = can('assistants:write');
  const { timezone } = useSession().account;
  const stored = trigger ? draftOf(trigger, timezone) : emptyDraft(assistantId);
  const [base, setBase] = useState(stored);
  const [draft, setDraft] = useState(stored);
  const [hookUrl, setHookUrl] = useState<string | null>(null);
  const [deleting, setDeleting] = useState(false);
  // The mutation has its result only after the dialog with the address is there.
  const created = useRef<string>(undefined);
  const isDirty = !isSame(draft, base);
  const isChangedElsewhere = !isSame(stored, base);
  const show = () => {
    setBase(stored);
    setDraft(stored);
  };
  // What somebody else has changed shows at once, unless it would overwrite what was typed here.
  if (isChangedElsewhere && !isDirty) show();
  const written = async (next: Trigger) => {
    const saved = draftOf(next, timezone);
    client.setQueryData(triggerQuery(next.id).queryKey, next);
    setBase(saved);
    setDraft(saved);
    await client.invalidateQueries({ queryKey: triggersQuery.queryKey });
  };
  const save = useMutation({
    mutationFn: async () => {
      const body = bodyOf(draft, timezone);
      if (!trigger) return (await attempts.call('POST /triggers', { body })).data;
      const { data } = await call('PATCH /triggers/{id}', { path: { id: trigger.id }, body });
      return { trigger: data, webhook_url: null };
    },
    onSuccess: async ({ trigger: next, webhook_url: url }) => {
      created.current = next.id;
      await written(next);
      notify(t('ui.saved'));
      if (url) setHookUrl(url);
      else if (!trigger) await open(next.id);
    },
  });
  const open = (triggerId: string) =>
    navigate({ to: '/triggers/$triggerId', params: { triggerId }, replace: true });
  const rotate = useMutation({
    mutationFn: async (id: string) =>
      (await call('POST /triggers/{id}/token', { path: { id } })).data.webhook_url,
    onSuccess: setHookUrl,
  });
  return (
    <Page
      title={trigger ? trigger.name : t('trigger.new')}
      back={<BackLink to="/triggers" label={t('nav.triggers')} />}
      actions={
        writable && (
          <>
            {trigger && (
              <Button kind="quiet" className="text-danger" onClick={() => setDeleting(true)}>
                {t('ui.delete')}
              </Button>
            )}
            <Button
              type="submit"
              form="trigger"
              kind="primary"
              busy={save.isPending}
              disabled={!isComplete(draft) || (trigger !== undefined && !isDirty)}
            >
              {t('ui.save')}
            </Button>
          </>
        )
      }
    >
      <div className="mx-auto grid max-w-columns grid-cols-1 gap-4 p-gutter lg:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="min-w-0">
          {isChangedElsewhere && isDirty && (
            <div
              role="alert"
              className="mb-3 flex flex-wrap items-center gap-2 rounded-lg bg-warning-soft p-3"
            >
              <p className="flex-1">{t('trigger.changedElsewhere')}</p>
              <Button onClick={show}>{t('trigger.showChange')}</Button>
            </div>
          )}
          {save.isError && <ErrorNotice error={save.error} />}
          {rotate.isError && <ErrorNotice error={rotate.error} />}
          <form
            id="trigger"
            onSubmit={(event) => {
              event.preventDefault();
              save.mutate();
            }}
          >
            <TriggerForm
              draft={draft}
              readOnly={!writable}
              onChange={(change) => setDraft((before) => ({ ...before, ...change }))}
            />
          </form>
        </div>
        <TriggerSide
          trigger={trigger}
          draft={draft}
          isDirty={isDirty}
          onRotate={writable && trigger ? () => rotate.mutate(trigger.id) : undefined}
        />
      </div>
      <HookDialog
        url={hookUrl}
        onClose={() => {
          const id = created.current;
          setHookUrl(null);
          if (!trigger && id) void open(id);
        }}
      />
      <ConfirmDialog
        open={deleting}
        onClose={() => setDeleting(false)}
        title={t('trigger.delete')}
        description={t('trigger.deleteHelp', { name: trigger?.name ?? '' })}
        action={t('ui.delete')}
        onConfirm={async () => {
          if (!trigger) return;
          await call('DELETE /triggers/{id}', { path: { id: trigger.id } });
          await navigate({ to: '/triggers' });
          client.removeQueries({ queryKey: triggerQuery(trigger.id).queryKey });
          await client.invalidateQueries({ queryKey: triggersQuery.queryKey });
        }}
      />
    </Page>
  );
}
