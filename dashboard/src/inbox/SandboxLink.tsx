import { useQuery } from '@tanstack/react-query';
import { t } from '@/i18n';
import { sandboxQuery } from './queries';

/** Where to write as a customer; null where the account has no sandbox. */
export function useSandboxUrl(): string | null {
  return useQuery(sandboxQuery).data?.url ?? null;
}

export function SandboxLink({ url }: { url: string }) {
  return (
    <a href={url} target="_blank" rel="noreferrer" className="font-medium text-accent underline">
      {t('inbox.openSandbox')}
    </a>
  );
}
