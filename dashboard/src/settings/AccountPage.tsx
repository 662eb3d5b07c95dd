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
import { accountQuery } from './queries';

/** The account's own settings: its name, its time zone, and the country of its phone numbers. */
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
        {query.error && <ErrorNotice error={query.error} />}
        {query.data && <AccountForm account={query.data} />}
      </div>
    </Page>
  );
}

function AccountForm({ account }: { account: AccountDetail }) {
  const client = useQueryClient();
  const [country, setCountry] = useState(account.country);
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
          setCountry(data.country);
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
            <TextField
              label={t('account.timezone')}
              name="timezone"
              hint={t('account.timezoneHint')}
              defaultValue={account.timezone}
              required
              error={errorAt('timezone')}
            />
            <CountryField
              hint={t('account.countryHint')}
              value={country}
              error={errorAt('country')}
              onChange={setCountry}
            />
          </>
        )}
      </SubmitForm>
    </Section>
  );
}
