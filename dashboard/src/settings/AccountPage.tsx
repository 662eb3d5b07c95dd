import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '@/api/client';
import type { AccountDetail } from '@/api/schema';
import { t } from '@/i18n';
import { sessionQuery } from '@/session/queries';
import { CountryField } from '@/ui/CountryField';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextField } from '@/ui/Field';
import { Page, Section } from '@/ui/Page';
import { Loading } from '@/ui/Spinner';
import { notify } from '@/ui/toast';
import { AdminOnly } from './AdminOnly';
import { AssistantLimits } from './AssistantLimits';
import { DraftForm } from './DraftForm';
import { HoursSection } from './HoursSection';
import { accountQuery } from './queries';
import { TimezoneField } from './TimezoneField';
import { useSettingsDraft } from './useSettingsDraft';

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
  const { name, timezone, country } = account;
  const edit = useSettingsDraft({ name, timezone, country });
  const { draft, set } = edit;
  return (
    <Section title={account.name}>
      <DraftForm
        edit={edit}
        onSave={async (changes) => {
          // What was not changed is not sent, so that a preset country goes on following the time zone.
          const body = { ...changes, ...(changes.name !== undefined && { name: changes.name.trim() }) };
          const { data } = await call('PATCH /app/api/admin/account', { body });
          client.setQueryData(accountQuery.queryKey, data);
          await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
          notify(t('account.saved'));
        }}
      >
        {(errorAt) => (
          <>
            <TextField
              label={t('account.name')}
              value={draft.name}
              required
              maxLength={200}
              error={errorAt('name')}
              onChange={(event) => set({ name: event.target.value })}
            />
            <TimezoneField
              value={draft.timezone}
              error={errorAt('timezone')}
              onChange={(zone) => set({ timezone: zone })}
            />
            <CountryField
              hint={t('account.countryHint')}
              value={draft.country}
              error={errorAt('country')}
              onChange={(chosen) => set({ country: chosen })}
            />
          </>
        )}
      </DraftForm>
    </Section>
  );
}
