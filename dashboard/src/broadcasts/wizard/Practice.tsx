import { useQuery } from '@tanstack/react-query';
import { t } from '@/i18n';
import { SandboxLink, useSandboxUrl } from '@/inbox/SandboxLink';
import { connectionsQuery } from '@/session/queries';
import { useIsAdmin } from '@/session/session';

/** Says that the number is the sandbox's: any numbers will do, and nobody gets a message. */
export function Practice() {
  const connections = useQuery({ ...connectionsQuery, enabled: useIsAdmin() }).data ?? [];
  const numbers = connections.filter(
    ({ channel, status }) => channel === 'whatsapp' && status === 'connected',
  );
  const url = useSandboxUrl();
  if (numbers.length === 0 || !numbers.every(({ sandbox }) => sandbox)) return null;
  return (
    <p role="note" className="rounded-lg bg-sunken px-3 py-2">
      {t('wizard.practice')} {url && <SandboxLink url={url} />}
    </p>
  );
}
