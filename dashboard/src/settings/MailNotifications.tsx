import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '@/api/client';
import type { MailKind, MailSettings } from '@/api/schema';
import { currentLanguage, t, tDynamic } from '@/i18n';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Checkbox } from '@/ui/Field';
import { Section } from '@/ui/Page';
import { Loading } from '@/ui/Spinner';
import { notifyFailure } from '@/ui/toast';
import { mailQuery } from './queries';

/** What the member gets mails about. It holds in every browser. */
export function MailNotifications() {
  const query = useQuery(mailQuery);
  return (
    <Section title={t('mail.title')}>
      {query.isPending && <Loading />}
      {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {query.data && <Choices settings={query.data} />}
    </Section>
  );
}

function Choices({ settings }: { settings: MailSettings }) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: async (kinds: MailKind[]) => {
      const body = { kinds, language: currentLanguage() };
      return (await call('PATCH /app/api/mail', { body })).data;
    },
    onSuccess: (saved) => client.setQueryData(mailQuery.queryKey, saved),
    onError: (error) => notifyFailure(t('mail.changeFailed'), error),
  });
  return (
    <fieldset>
      <legend className="mb-1 text-ink-soft">{settings.is_set_up ? t('mail.about') : t('mail.off')}</legend>
      {settings.offered.map((kind) => (
        <Checkbox
          key={kind}
          label={tDynamic('mailKind', kind)}
          checked={settings.kinds.includes(kind)}
          disabled={change.isPending}
          onChange={({ target }) =>
            change.mutate(
              settings.offered.filter((each) =>
                each === kind ? target.checked : settings.kinds.includes(each),
              ),
            )
          }
        />
      ))}
    </fieldset>
  );
}
