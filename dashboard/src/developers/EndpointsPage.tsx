import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Plus, Webhook } from 'lucide-react';
import { useState } from 'react';
import type { WebhookEndpoint } from '@/api/schema';
import { useCommands } from '@/commands/commands';
import { KEYS } from '@/commands/shortcuts';
import { t } from '@/i18n';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Page, Section } from '@/ui/Page';
import { LoadingRows } from '@/ui/Spinner';
import { Badge } from '@/ui/Tag';
import { describeTypes } from './describe';
import { EndpointForm } from './EndpointForm';
import { endpointQuery, endpointsQuery } from './queries';
import { SecretDialog } from './SecretDialog';
import { VerifySnippets } from './VerifySnippets';

const ROW_PX = 60;

/** Addresses that are told of events. */
export function EndpointsPage() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const query = useQuery(endpointsQuery);
  const [creating, setCreating] = useState(false);
  const [created, setCreated] = useState<WebhookEndpoint | null>(null);
  const create = (
    <Button kind="primary" icon={<Plus size={16} aria-hidden />} onClick={() => setCreating(true)}>
      {t('webhooks.new')}
    </Button>
  );
  useCommands([
    {
      id: 'webhooks.new',
      group: t('nav.developers'),
      label: t('webhooks.new'),
      shortcut: KEYS.create,
      run: () => setCreating(true),
    },
  ]);
  return (
    <Page title={t('developers.webhooks')} actions={create}>
      <div className="settings-column flex flex-col gap-4">
        {query.isPending && <LoadingRows rowPx={ROW_PX} count={3} />}
        {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
        {query.data?.length === 0 && (
          <EmptyState icon={<Webhook size={40} />} title={t('webhooks.empty')} action={create}>
            {t('webhooks.emptyHelp')}
          </EmptyState>
        )}
        <ul className="divide-y divide-line rounded-xl border border-line bg-surface empty:hidden">
          {query.data?.map((endpoint) => (
            <EndpointRow key={endpoint.id} endpoint={endpoint} />
          ))}
        </ul>
        <Section title={t('webhooks.verify')}>
          <VerifySnippets />
        </Section>
      </div>
      <Dialog open={creating} onClose={() => setCreating(false)} title={t('webhooks.new')} wide>
        {creating && (
          <EndpointForm
            endpoint={undefined}
            onCancel={() => setCreating(false)}
            onSaved={async (endpoint) => {
              setCreating(false);
              setCreated(endpoint);
              await client.invalidateQueries({ queryKey: endpointsQuery.queryKey });
            }}
          />
        )}
      </Dialog>
      <SecretDialog
        secret={created?.secret ?? null}
        onClose={() => {
          if (!created) return;
          client.setQueryData(endpointQuery(created.id).queryKey, { ...created, secret: null });
          void navigate({ to: '/developers/webhooks/$endpointId', params: { endpointId: created.id } });
        }}
      />
    </Page>
  );
}

function EndpointRow({ endpoint }: { endpoint: WebhookEndpoint }) {
  return (
    <li className="relative flex min-h-15 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 hover:bg-sunken">
      <div className="min-w-0 flex-1 basis-60">
        <Link
          to="/developers/webhooks/$endpointId"
          params={{ endpointId: endpoint.id }}
          className="block truncate font-medium after:absolute after:inset-0"
        >
          {endpoint.url}
        </Link>
        <p className="truncate text-sm text-ink-soft">
          {[endpoint.description, describeTypes(endpoint.event_types)].filter(Boolean).join(' · ')}
        </p>
      </div>
      <EndpointState endpoint={endpoint} />
    </li>
  );
}

export function EndpointState({ endpoint }: { endpoint: WebhookEndpoint }) {
  if (endpoint.enabled) return <Badge tone="success">{t('webhooks.enabled')}</Badge>;
  return endpoint.disabled_reason ? (
    <Badge tone="danger">{t('webhooks.disabledByServer')}</Badge>
  ) : (
    <Badge>{t('webhooks.disabled')}</Badge>
  );
}
