import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Cable } from 'lucide-react';
import type { ConnectionDetail } from '@/api/app';
import { t, tDynamic } from '@/i18n';
import { EmptyState } from '@/ui/EmptyState';
import { BackLink, Page, Section, UnreadyPage } from '@/ui/Page';
import { AdminOnly } from '../AdminOnly';
import { connectionsQuery } from '../queries';
import { ConnectionActions, ConnectionBadges } from './ConnectionActions';
import { MetaSetup } from './MetaSetup';
import { PhoneSetup } from './PhoneSetup';
import { WebChatSetup } from './WebChatSetup';

const route = getRouteApi('/shell/settings/channels/$connectionId');

/** One channel: its state, and what is left to do at the vendor or on the website. */
export function ConnectionPage() {
  return (
    <AdminOnly>
      <Connection />
    </AdminOnly>
  );
}

function Connection() {
  const { connectionId } = route.useParams();
  const query = useQuery(connectionsQuery);
  const back = <BackLink to="/settings/channels" label={t('settings.channels')} />;
  if (!query.data)
    return (
      <UnreadyPage
        title={t('settings.channels')}
        back={back}
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    );
  const connection = query.data.find(({ id }) => id === connectionId);
  if (!connection)
    return (
      <Page title={t('settings.channels')} back={back}>
        <EmptyState icon={<Cable size={40} />} title={t('channels.missing')}>
          {t('channels.missingHelp')}
        </EmptyState>
      </Page>
    );
  return (
    <Page title={connection.name} back={back}>
      <div
        className={`flex flex-col gap-4 ${connection.channel === 'web_chat' ? 'settings-columns' : 'settings-column'}`}
      >
        <State connection={connection} />
        <Setup key={connection.id} connection={connection} />
      </div>
    </Page>
  );
}

function State({ connection }: { connection: ConnectionDetail }) {
  const { channel, address, disconnected_reason: reason } = connection;
  return (
    <Section title={tDynamic('channel', channel)} actions={<ConnectionBadges connection={connection} />}>
      {address && <p className="mb-2">{address}</p>}
      {reason && <p className="mb-2 text-danger">{reason}</p>}
      <ConnectionActions connection={connection} isOwnPage />
    </Section>
  );
}

function Setup({ connection }: { connection: ConnectionDetail }) {
  switch (connection.channel) {
    case 'web_chat':
      return <WebChatSetup connection={connection} />;
    case 'personal_whatsapp':
      return <PhoneSetup connection={connection} />;
    default:
      return <MetaSetup connection={connection} channel={connection.channel} />;
  }
}
