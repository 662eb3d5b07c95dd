import { useQuery } from '@tanstack/react-query';
import { call } from '@/api/client';
import { t } from '@/i18n';

/** Where to write as a customer; null where the account has no sandbox. */
export function useSandboxUrl(): string | null {
  const query = useQuery({
    queryKey: ['sandbox'],
    queryFn: async ({ signal }) => (await call('GET /app/api/sandbox', undefined, { signal })).data,
    retry: false,
  });
  return query.data?.url ?? null;
}

export function SandboxLink({ url }: { url: string }) {
  return (
    <a href={url} target="_blank" rel="noreferrer" className="font-medium text-accent underline">
      {t('inbox.openSandbox')}
    </a>
  );
}
