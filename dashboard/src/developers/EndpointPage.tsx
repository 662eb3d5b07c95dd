import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Ellipsis, Send } from 'lucide-react';
import { useState } from 'react';
import { call } from '@/api/client';
import type { WebhookEndpoint } from '@/api/schema';
import { t } from '@/i18n';
import { Button, IconButton } from '@/ui/Button';
import { ConfirmDialog, Dialog } from '@/ui/Dialog';
import { Menu, MenuItem, MenuSeparator } from '@/ui/Menu';
import { BackLink, Page, Section, UnreadyPage } from '@/ui/Page';
import { notify, notifyFailure } from '@/ui/toast';
import { Deliveries } from './Deliveries';
import { describeTypes } from './describe';
import { EndpointForm } from './EndpointForm';
import { EndpointState } from './EndpointsPage';
import { deliveriesKey, endpointQuery, endpointsQuery } from './queries';
import { ReplayDialog } from './ReplayDialog';
import { SecretDialog } from './SecretDialog';

const route = getRouteApi('/shell/developers/webhooks/$endpointId');

export function EndpointPage() {
  const { endpointId } = route.useParams();
  const query = useQuery(endpointQuery(endpointId));
  if (!query.data) {
    return (
      <UnreadyPage
        title={t('webhooks.endpoint')}
        back={<BackLink to="/developers" label={t('developers.webhooks')} />}
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    );
  }
  return <Endpoint key={endpointId} endpoint={query.data} />;
}

type Open = 'edit' | 'rotate' | 'replay' | 'delete' | null;

function Endpoint({ endpoint }: { endpoint: WebhookEndpoint }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [open, setOpen] = useState<Open>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const path = { id: endpoint.id };
  const close = () => setOpen(null);
  const changed = async (next: WebhookEndpoint) => {
    client.setQueryData(endpointQuery(endpoint.id).queryKey, { ...next, secret: null });
    await client.invalidateQueries({ queryKey: endpointsQuery.queryKey });
  };
  const refreshDeliveries = () => client.invalidateQueries({ queryKey: deliveriesKey(endpoint.id) });
  const test = useMutation({
    mutationFn: () => call('POST /webhooks/{id}/test', { path }),
    onSuccess: async () => {
      notify(t('webhooks.testSent'));
      await refreshDeliveries();
    },
    onError: (error) => notifyFailure(t('webhooks.testFailed'), error),
  });
  const setEnabled = useMutation({
    mutationFn: (enabled: boolean) => call('PATCH /webhooks/{id}', { path, body: { enabled } }),
    onSuccess: ({ data }) => changed(data),
    onError: (error) => notifyFailure(t('webhooks.changeFailed'), error),
  });
  return (
    <Page
      title={endpoint.description || new URL(endpoint.url).host}
      back={<BackLink to="/developers" label={t('developers.webhooks')} />}
      actions={
        <>
          <Button
            kind="primary"
            icon={<Send size={16} aria-hidden />}
            busy={test.isPending}
            onClick={() => test.mutate()}
          >
            {t('webhooks.test')}
          </Button>
          <Button onClick={() => setOpen('edit')}>{t('ui.edit')}</Button>
          <Menu trigger={<IconButton label={t('ui.more')} icon={<Ellipsis size={18} aria-hidden />} />}>
            <MenuItem onSelect={() => setOpen('rotate')}>{t('webhooks.rotate')}</MenuItem>
            <MenuItem onSelect={() => setOpen('replay')}>{t('webhooks.replay')}</MenuItem>
            <MenuItem onSelect={() => setEnabled.mutate(!endpoint.enabled)}>
              {endpoint.enabled ? t('webhooks.disable') : t('webhooks.enable')}
            </MenuItem>
            <MenuSeparator />
            <MenuItem onSelect={() => setOpen('delete')}>{t('webhooks.delete')}</MenuItem>
          </Menu>
        </>
      }
    >
      <div className="settings-column flex flex-col gap-4">
        <Section title={t('webhooks.endpoint')} actions={<EndpointState endpoint={endpoint} />}>
          <dl className="grid gap-x-6 gap-y-1.5 sm:grid-cols-[auto_1fr]">
            <dt className="text-ink-soft">{t('webhooks.url')}</dt>
            <dd className="font-mono text-sm break-all">{endpoint.url}</dd>
            <dt className="text-ink-soft">{t('webhooks.which')}</dt>
            <dd className="break-words">{describeTypes(endpoint.event_types)}</dd>
            {endpoint.disabled_reason && (
              <>
                <dt className="text-ink-soft">{t('webhooks.disabledByServer')}</dt>
                <dd className="text-danger">{endpoint.disabled_reason}</dd>
              </>
            )}
          </dl>
        </Section>
        <Deliveries endpoint={endpoint} onTest={() => test.mutate()} />
      </div>
      <Dialog open={open === 'edit'} onClose={close} title={t('webhooks.edit')} wide>
        {open === 'edit' && (
          <EndpointForm
            endpoint={endpoint}
            onCancel={close}
            onSaved={async (next) => {
              close();
              await changed(next);
            }}
          />
        )}
      </Dialog>
      <ConfirmDialog
        open={open === 'rotate'}
        onClose={close}
        title={t('webhooks.rotate')}
        description={t('webhooks.rotateHelp')}
        action={t('webhooks.rotate')}
        onConfirm={async () => {
          const { data } = await call('POST /webhooks/{id}/secret', { path });
          setSecret(data.secret ?? null);
          await changed(data);
        }}
      />
      <SecretDialog secret={secret} onClose={() => setSecret(null)} />
      <ReplayDialog
        endpointId={endpoint.id}
        open={open === 'replay'}
        onClose={close}
        onReplayed={refreshDeliveries}
      />
      <ConfirmDialog
        open={open === 'delete'}
        onClose={close}
        title={t('webhooks.delete')}
        description={t('webhooks.deleteHelp', { url: endpoint.url })}
        action={t('ui.delete')}
        onConfirm={async () => {
          await call('DELETE /webhooks/{id}', { path });
          await navigate({ to: '/developers' });
          client.removeQueries({ queryKey: endpointQuery(endpoint.id).queryKey });
          await client.invalidateQueries({ queryKey: endpointsQuery.queryKey });
        }}
      />
    </Page>
  );
}
