import { useMutation } from '@tanstack/react-query';
import { call } from '@/api/client';
import { t } from '@/i18n';
import { Button } from '@/ui/Button';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { keepNext } from './provider';

interface ProviderButtonProps {
  /** The provider's name. */
  name: string;
  /** The page that was asked for. */
  next: string | undefined;
}

/** Leads to the provider, which sends the browser back to the page of its own. */
export function ProviderButton({ name, next }: ProviderButtonProps) {
  const begin = useMutation({
    mutationFn: async () => {
      const { url } = (await call('POST /app/api/session/provider')).data;
      keepNext(next);
      location.assign(url);
    },
  });
  return (
    <div className="flex flex-col gap-2">
      {begin.error !== null && <ErrorNotice error={begin.error} />}
      <Button kind="primary" busy={begin.isPending || begin.isSuccess} onClick={() => begin.mutate()}>
        {t('signIn.provider', { name })}
      </Button>
    </div>
  );
}
