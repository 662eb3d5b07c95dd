import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '@/api/client';
import type { AccountDetail } from '@/api/schema';
import { t } from '@/i18n';
import { sessionQuery } from '@/session/queries';
import { CountryField } from '@/ui/CountryField';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextField } from '@/ui/Field';
import { Page, Section } from '@/ui/Page';
import { Loading } from '@/ui/Spinner';
import { SubmitForm, textOf } from '@/ui/SubmitForm';
import { notify } from '@/ui/toast';
import { AdminOnly } from './AdminOnly';
import { AssistantLimits } from './AssistantLimits';
import { HoursSection } from './HoursSection';
import { accountQuery } from './queries';
import { TimezoneField } from './TimezoneField';

/** The account's own settings: its name, zone and country, its hours, and what assistants may cost. */
export function AccountPage() {
  return (
    <AdminOnly>
      <AccountSettings />
    </AdminOnly>
  );
}

function AccountSettings() {
  const query = useQuery(accountQuery);
  return (
    <Page title={t('settings.accountPage')}>
      <div className="settings-column flex flex-col gap-4">
        {query.isPending && <Loading />}
        {query.error && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
        {query.data && (
          <>
            <AccountForm account={query.data} />
            <HoursSection account={query.data} field="business_hours" />
            <HoursSection account={query.data} field="sending_hours" />
            <AssistantLimits account={query.data} />
          </>
        )}
      </div>
    </Page>
  );
}

function AccountForm({ account }: { account: AccountDetail }) {
  const client = useQueryClient();
  // Undefined until it is chosen here, so that a colleague's choice shows.
  const [chosen, setChosen] = useState<string | null | undefined>(undefined);
  const country = chosen === undefined ? account.country : chosen;
  return (
    <Section title={account.name}>
      <SubmitForm
        action={t('ui.save')}
        onSubmit={async (form) => {
          const timezone = textOf(form, 'timezone');
          const body = {
            name: textOf(form, 'name'),
            // What was not changed is not sent, so that a preset country goes on following the time zone.
            ...(timezone !== account.timezone && { timezone }),
            ...(country !== account.country && { country }),
          };
          const { data } = await call('PATCH /app/api/admin/account', { body });
          client.setQueryData(accountQuery.queryKey, data);
          setChosen(undefined);
          await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
          notify(t('account.saved'));
        }}
      >
        {(errorAt) => (
          <>
            <TextField
              label={t('account.name')}
              name="name"
              defaultValue={account.name}
              required
              maxLength={200}
              error={errorAt('name')}
            />
            <TimezoneField value={account.timezone} error={errorAt('timezone')} />
            <CountryField
              hint={t('account.countryHint')}
              value={country}
              error={errorAt('country')}
              onChange={setChosen}
            />
          </>
        )}
      </SubmitForm>
    </Section>
  );
}
