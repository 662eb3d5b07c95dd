import { useQueryClient } from '@tanstack/react-query';
import { call } from '@/api/client';
import type { AccountDetail } from '@/api/schema';
import { HoursEditor } from '@/assistants/HoursEditor';
import { type Hours, usualHours } from '@/assistants/hours';
import { t } from '@/i18n';
import { Section } from '@/ui/Page';
import { Switch } from '@/ui/Switch';
import { notify } from '@/ui/toast';
import { DraftForm } from './DraftForm';
import { accountQuery } from './queries';
import { useSettingsDraft } from './useSettingsDraft';

const TEXT = {
  business_hours: { title: 'hours.business', help: 'hours.businessHelp', always: 'hours.alwaysOpen' },
  sending_hours: { title: 'hours.sending', help: 'hours.sendingHelp', always: 'hours.alwaysSending' },
} as const;

interface HoursSectionProps {
  account: AccountDetail;
  field: keyof typeof TEXT;
}

/** Hours by weekday, or always. What a colleague stores shows until something is changed here. */
export function HoursSection({ account, field }: HoursSectionProps) {
  const client = useQueryClient();
  const stored = account[field] as Hours | null;
  const edit = useSettingsDraft({ hours: stored });
  const { hours } = edit.draft;
  const set = (hours: Hours | null) => edit.set({ hours });
  return (
    <Section title={t(TEXT[field].title)}>
      <DraftForm
        edit={edit}
        onSave={async ({ hours }) => {
          const body = field === 'business_hours' ? { business_hours: hours } : { sending_hours: hours };
          const { data } = await call('PATCH /app/api/admin/account', { body });
          client.setQueryData(accountQuery.queryKey, data);
          notify(t('ui.saved'));
        }}
      >
        {() => (
          <>
            <p className="text-ink-soft">{t(TEXT[field].help)}</p>
            <Switch
              label={t(TEXT[field].always)}
              checked={hours === null}
              onChange={(always) => set(always ? null : (stored ?? usualHours()))}
            />
            {hours !== null && <HoursEditor hours={hours} onChange={set} closedLabel={t('hours.closed')} />}
          </>
        )}
      </DraftForm>
    </Section>
  );
}
