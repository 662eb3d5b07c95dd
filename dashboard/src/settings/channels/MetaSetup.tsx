import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck, LoaderCircle } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ConnectionDetail } from '@/api/app';
import { t, tDynamic } from '@/i18n';
import { mediumTime } from '@/i18n/time';
import { SandboxLink, useSandboxUrl } from '@/inbox/SandboxLink';
import { CopyField } from '@/ui/Copy';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Section } from '@/ui/Page';
import { firstConversationQuery } from '../queries';
import type { MetaChannel } from './fields';
import { justConnected } from './justConnected';

interface MetaSetupProps {
  connection: ConnectionDetail;
  channel: MetaChannel;
}

/** What is left to do, and whether a customer's message has come through. */
export function MetaSetup(props: MetaSetupProps) {
  return props.connection.sandbox ? <SandboxSetup {...props} /> : <VendorSetup {...props} />;
}

/** The simulator knows the webhook's address already. */
function SandboxSetup({ connection }: MetaSetupProps) {
  const url = useSandboxUrl();
  return (
    <Section title={t('metaSetup.tryTitle')}>
      <p>
        {t('metaSetup.sandboxWrite')} {url && <SandboxLink url={url} />}
      </p>
      <FirstMessage connection={connection} />
    </Section>
  );
}

/** What is entered at Meta. */
function VendorSetup({ connection, channel }: MetaSetupProps) {
  const token = justConnected(useQueryClient(), connection.id)?.verifyToken;
  return (
    <Section title={t('metaSetup.title')}>
      <ol className="flex list-decimal flex-col gap-4 ps-5">
        <li>
          <p className="mb-2">{tDynamic('metaSetupWhere', channel)}</p>
          <div className="flex flex-col gap-3">
            <CopyField label={t('metaSetup.callback')} value={connection.webhook_url ?? ''} />
            {token ? (
              <CopyField label={t('connect.verifyToken')} value={token} />
            ) : (
              <p className="text-ink-soft">{t('metaSetup.tokenGone')}</p>
            )}
          </div>
        </li>
        <li>
          {t('metaSetup.verify')}
          <Verified connection={connection} />
        </li>
        <li>{tDynamic('metaSetupFields', channel)}</li>
        <li>
          {t('metaSetup.write')}
          <FirstMessage connection={connection} />
        </li>
      </ol>
    </Section>
  );
}

/** Something that happens elsewhere, and shows here when it has. */
function Progress({ done, children }: { done: boolean; children: ReactNode }) {
  return (
    <p role="status" className="mt-2 flex items-center gap-2 rounded-lg bg-sunken p-3">
      {done ? (
        <CircleCheck size={18} aria-hidden className="shrink-0 text-success" />
      ) : (
        <LoaderCircle size={18} aria-hidden className="shrink-0 animate-spin text-ink-soft" />
      )}
      <span>{children}</span>
    </p>
  );
}

/** Says live when Meta has called the webhook's address with the verify token. */
function Verified({ connection }: { connection: ConnectionDetail }) {
  const at = connection.webhook_verified_at;
  // A channel that is older than the stored time has been verified if a message has arrived.
  const works = Boolean(useQuery(firstConversationQuery(connection)).data);
  if (at) return <Progress done>{t('metaSetup.verifiedAt', { time: mediumTime(at) })}</Progress>;
  return <Progress done={works}>{t(works ? 'metaSetup.verified' : 'metaSetup.unverified')}</Progress>;
}

/** Says live when the first customer has written. */
function FirstMessage({ connection }: { connection: ConnectionDetail }) {
  const query = useQuery(firstConversationQuery(connection));
  if (query.isError) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Progress done={false}>{t('metaSetup.waiting')}</Progress>;
  return (
    <Progress done>
      {t('metaSetup.arrived')}{' '}
      <Link
        to="/inbox/$conversationId"
        params={{ conversationId: query.data.id }}
        className="font-medium text-accent underline"
      >
        {t('metaSetup.open')}
      </Link>
    </Progress>
  );
}
