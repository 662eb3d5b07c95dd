import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Cable, Plus } from 'lucide-react';
import { useState } from 'react';
import type { ConnectionDetail } from '@/api/app';
import { call } from '@/api/client';
import { t, tDynamic } from '@/i18n';
import { ChannelIcon } from '@/inbox/channel';
import { Button } from '@/ui/Button';
import { CopyField } from '@/ui/Copy';
import { ConfirmDialog, Dialog, DialogActions } from '@/ui/Dialog';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Page } from '@/ui/Page';
import { Loading } from '@/ui/Spinner';
import { Badge } from '@/ui/Tag';
import { notify, notifyFailure } from '@/ui/toast';
import { AdminOnly } from './AdminOnly';
import { ConnectDialog } from './ConnectDialog';
import { PairingDialog } from './PairingDialog';
import { connectionsQuery } from './queries';

export function ChannelsPage() {
  return (
    <AdminOnly>
      <Channels />
    </AdminOnly>
  );
}

function Channels() {
  const client = useQueryClient();
  const query = useQuery(connectionsQuery);
  const [connecting, setConnecting] = useState(false);
  const [pairing, setPairing] = useState<ConnectionDetail | null>(null);
  const [embedding, setEmbedding] = useState<ConnectionDetail | null>(null);
  const [disconnecting, setDisconnecting] = useState<ConnectionDetail | null>(null);
  const refresh = () => client.invalidateQueries({ queryKey: connectionsQuery.queryKey });
  return (
    <Page
      title={t('settings.channels')}
      actions={
        <Button kind="primary" icon={<Plus size={16} aria-hidden />} onClick={() => setConnecting(true)}>
          {t('channels.connect')}
        </Button>
      }
    >
      <div className="settings-column flex flex-col gap-3">
        {query.isPending && <Loading />}
        {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
        {query.data?.length === 0 && (
          <EmptyState icon={<Cable size={40} />} title={t('channels.empty')}>
            {t('channels.emptyHelp')}
          </EmptyState>
        )}
        {query.data?.map((connection) => (
          <ConnectionCard
            key={connection.id}
            connection={connection}
            onChanged={() => void refresh()}
            onPair={() => setPairing(connection)}
            onDisconnect={() => setDisconnecting(connection)}
          />
        ))}
      </div>
      <ConnectDialog
        open={connecting}
        onClose={() => setConnecting(false)}
        onConnected={(connection) => {
          setConnecting(false);
          void refresh();
          if (connection.channel === 'personal_whatsapp' && connection.status === 'disconnected')
            setPairing(connection);
          if (connection.snippet) setEmbedding(connection);
        }}
      />
      <Dialog
        open={embedding !== null}
        onClose={() => setEmbedding(null)}
        title={t('channels.snippetTitle')}
        description={t('channels.snippetHelp')}
      >
        <CopyField label={t('channels.snippet')} value={embedding?.snippet ?? ''} />
        <DialogActions>
          <Button kind="primary" onClick={() => setEmbedding(null)}>
            {t('ui.close')}
          </Button>
        </DialogActions>
      </Dialog>
      {pairing && (
        <PairingDialog
          connection={pairing}
          onClose={() => {
            setPairing(null);
            void refresh();
          }}
        />
      )}
      <ConfirmDialog
        open={disconnecting !== null}
        onClose={() => setDisconnecting(null)}
        title={t('channels.disconnect')}
        description={t('channels.disconnectHelp', { name: disconnecting?.name ?? '' })}
        action={t('channels.disconnect')}
        onConfirm={async () => {
          if (disconnecting)
            await call('POST /app/api/admin/connections/{id}/disconnect', { path: { id: disconnecting.id } });
          await refresh();
        }}
      />
    </Page>
  );
}

interface CardProps {
  connection: ConnectionDetail;
  onChanged: () => void;
  onPair: () => void;
  onDisconnect: () => void;
}

function ConnectionCard({ connection, onChanged, onPair, onDisconnect }: CardProps) {
  const connected = connection.status === 'connected';
  const path = { id: connection.id };
  const onError = (error: unknown) => notifyFailure(t('channels.failed'), error);
  const sync = useMutation({
    mutationFn: () => call('POST /app/api/admin/connections/{id}/sync', { path }),
    onSuccess: ({ data }) => {
      notify(t('channels.synced', { count: data.templates }));
      onChanged();
    },
    onError,
  });
  const reconnect = useMutation({
    mutationFn: () => call('POST /app/api/admin/connections/{id}/reconnect', { path }),
    onSuccess: () => {
      notify(t('channels.reconnected'));
      onChanged();
    },
    onError,
  });
  return (
    <section aria-label={connection.name} className="rounded-xl border border-line bg-surface p-4">
      <div className="flex flex-wrap items-center gap-2">
        <ChannelIcon channel={connection.channel} />
        <h2 className="min-w-32 flex-1 font-semibold">
          {connection.name} <span className="font-normal text-ink-soft">{connection.address}</span>
        </h2>
        {connection.sandbox && <Badge>{t('channels.sandbox')}</Badge>}
        <Badge tone={connected ? 'accent' : 'danger'}>
          {tDynamic('connectionStatus', connection.status)}
        </Badge>
      </div>
      <p className="text-sm text-ink-soft">{tDynamic('channel', connection.channel)}</p>
      {connection.disconnected_reason && (
        <p className="mt-1 text-sm text-danger">{connection.disconnected_reason}</p>
      )}
      {connection.snippet && (
        <div className="mt-3">
          <CopyField label={t('channels.snippet')} value={connection.snippet} />
        </div>
      )}
      {connection.webhook_url && (
        <div className="mt-3">
          <CopyField label={t('channels.webhook')} value={connection.webhook_url} />
        </div>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        {connection.channel === 'whatsapp' && connected && (
          <Button busy={sync.isPending} onClick={() => sync.mutate()}>
            {t('channels.sync')}
          </Button>
        )}
        {connection.channel === 'personal_whatsapp' && !connected && (
          <Button onClick={onPair}>{t('channels.pair')}</Button>
        )}
        {!connected && connection.channel !== 'personal_whatsapp' && (
          <Button busy={reconnect.isPending} onClick={() => reconnect.mutate()}>
            {t('channels.reconnect')}
          </Button>
        )}
        {connected && <Button onClick={onDisconnect}>{t('channels.disconnect')}</Button>}
      </div>
    </section>
  );
}
