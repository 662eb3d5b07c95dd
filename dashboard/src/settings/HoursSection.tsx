import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '@/api/client';
import type { AccountDetail } from '@/api/schema';
import { HoursEditor } from '@/assistants/HoursEditor';
import { type Hours, usualHours } from '@/assistants/hours';
import { t } from '@/i18n';
import { Button } from '@/ui/Button';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Section } from '@/ui/Page';
import { Switch } from '@/ui/Switch';
import { notify } from '@/ui/toast';
import { accountQuery } from './queries';

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
  const [draft, setDraft] = useState<Hours | null | undefined>(undefined);
  const hours = draft === undefined ? stored : draft;
  const save = useMutation({
    mutationFn: () =>
      call('PATCH /app/api/admin/account', {
        body: field === 'business_hours' ? { business_hours: hours } : { sending_hours: hours },
      }),
    onSuccess: ({ data }) => {
      client.setQueryData(accountQuery.queryKey, data);
      setDraft(undefined);
      notify(t('ui.saved'));
    },
  });
  return (
    <Section title={t(TEXT[field].title)}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <p className="text-ink-soft">{t(TEXT[field].help)}</p>
        <Switch
          label={t(TEXT[field].always)}
          checked={hours === null}
          onChange={(always) => setDraft(always ? null : (stored ?? usualHours()))}
        />
        {hours !== null && <HoursEditor hours={hours} onChange={setDraft} closedLabel={t('hours.closed')} />}
        {save.isError && <ErrorNotice error={save.error} />}
        {draft !== undefined && (
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={() => setDraft(undefined)}>{t('ui.discard')}</Button>
            <Button type="submit" kind="primary" busy={save.isPending}>
              {t('ui.save')}
            </Button>
          </div>
        )}
      </form>
    </Section>
  );
}
