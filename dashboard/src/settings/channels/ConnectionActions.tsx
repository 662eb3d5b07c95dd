import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ConnectionDetail } from '@/api/app';
import { call } from '@/api/client';
import { t, tDynamic } from '@/i18n';
import { Button } from '@/ui/Button';
import { ButtonLink } from '@/ui/ButtonLink';
import { ConfirmDialog } from '@/ui/Dialog';
import { Badge } from '@/ui/Tag';
import { notify, notifyFailure } from '@/ui/toast';
import { connectionsQuery } from '../queries';

/** Whether a channel is connected, and whether it is for trying only. */
export function ConnectionBadges({ connection }: { connection: ConnectionDetail }) {
  return (
    <>
      {connection.sandbox && <Badge>{t('channels.sandbox')}</Badge>}
      <Badge tone={connection.status === 'connected' ? 'success' : 'danger'}>
        {tDynamic('connectionStatus', connection.status)}
      </Badge>
    </>
  );
}

/** What can be done with a channel in its state. Its own page links the phone, so the link there is left out. */
export function ConnectionActions({
  connection,
  isOwnPage = false,
}: {
  connection: ConnectionDetail;
  isOwnPage?: boolean;
}) {
  const client = useQueryClient();
  const [disconnecting, setDisconnecting] = useState(false);
  const { channel, name } = connection;
  const isConnected = connection.status === 'connected';
  const path = { id: connection.id };
  const refresh = () => client.invalidateQueries({ queryKey: connectionsQuery.queryKey });
  const onError = (error: unknown) => notifyFailure(t('channels.failed'), error);
  const sync = useMutation({
    mutationFn: () => call('POST /app/api/admin/connections/{id}/sync', { path }),
    onSuccess: ({ data }) => {
      notify(t('channels.synced', { count: data.templates }));
      void refresh();
    },
    onError,
  });
  const reconnect = useMutation({
    mutationFn: () => call('POST /app/api/admin/connections/{id}/reconnect', { path }),
    onSuccess: () => {
      notify(t('channels.reconnected'));
      void refresh();
    },
    onError,
  });
  return (
    <div className="flex flex-wrap gap-2 empty:hidden">
      {!isOwnPage && channel === 'personal_whatsapp' && !isConnected && (
        <ButtonLink to="/settings/channels/$connectionId" params={{ connectionId: connection.id }}>
          {t('channels.pair')}
        </ButtonLink>
      )}
      {channel === 'whatsapp' && isConnected && (
        <Button busy={sync.isPending} onClick={() => sync.mutate()}>
          {t('channels.sync')}
        </Button>
      )}
      {!isConnected && channel !== 'personal_whatsapp' && (
        <Button busy={reconnect.isPending} onClick={() => reconnect.mutate()}>
          {t('channels.reconnect')}
        </Button>
      )}
      {isConnected && <Button onClick={() => setDisconnecting(true)}>{t('channels.disconnect')}</Button>}
      <ConfirmDialog
        open={disconnecting}
        onClose={() => setDisconnecting(false)}
        title={t('channels.disconnect')}
        description={t('channels.disconnectHelp', { name })}
        action={t('channels.disconnect')}
        onConfirm={async () => {
          await call('POST /app/api/admin/connections/{id}/disconnect', { path });
          await refresh();
        }}
      />
    </div>
  );
}
