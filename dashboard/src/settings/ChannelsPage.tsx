import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Cable, Plus } from 'lucide-react';
import type { ConnectionDetail } from '@/api/app';
import { t, tDynamic } from '@/i18n';
import { ChannelIcon } from '@/inbox/channel';
import { ButtonLink } from '@/ui/ButtonLink';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Page } from '@/ui/Page';
import { LoadingRows } from '@/ui/Spinner';
import { AdminOnly } from './AdminOnly';
import { ConnectionActions, ConnectionBadges } from './channels/ConnectionActions';
import { connectionsQuery } from './queries';

const ROW_PX = 96;

export function ChannelsPage() {
  return (
    <AdminOnly>
      <Channels />
    </AdminOnly>
  );
}

function Channels() {
  const query = useQuery(connectionsQuery);
  return (
    <Page title={t('settings.channels')} actions={<ConnectLink />}>
      <div className="settings-column flex flex-col gap-3">
        {query.isPending && <LoadingRows rowPx={ROW_PX} count={3} />}
        {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
        {query.data?.length === 0 && (
          <EmptyState icon={<Cable size={40} />} title={t('channels.empty')} action={<ConnectLink />}>
            {t('channels.emptyHelp')}
          </EmptyState>
        )}
        {query.data?.map((connection) => (
          <ConnectionCard key={connection.id} connection={connection} />
        ))}
      </div>
    </Page>
  );
}

function ConnectLink() {
  return (
    <ButtonLink kind="primary" to="/settings/channels/new" icon={<Plus size={16} aria-hidden />}>
      {t('channels.connect')}
    </ButtonLink>
  );
}

function ConnectionCard({ connection }: { connection: ConnectionDetail }) {
  const { id, name, channel, address } = connection;
  return (
    <section aria-label={name} className="rounded-xl border border-line bg-surface p-4">
      <div className="flex flex-wrap items-center gap-2">
        <ChannelIcon channel={channel} />
        <h2 className="min-w-32 flex-1 font-semibold">
          <Link
            to="/settings/channels/$connectionId"
            params={{ connectionId: id }}
            className="hover:underline"
          >
            {name}
          </Link>{' '}
          <span className="font-normal text-ink-soft">{address}</span>
        </h2>
        <ConnectionBadges connection={connection} />
      </div>
      <p className="text-sm text-ink-soft">{tDynamic('channel', channel)}</p>
      {connection.disconnected_reason && (
        <p className="mt-1 text-sm text-danger">{connection.disconnected_reason}</p>
      )}
      <div className="mt-3">
        <ConnectionActions connection={connection} />
      </div>
    </section>
  );
}
