import { useState } from 'react';
import { call } from '@/api/client';
import type { Broadcast } from '@/api/schema';
import { t } from '@/i18n';
import { useSession } from '@/session/session';
import { Dialog } from '@/ui/Dialog';
import { SubmitForm } from '@/ui/SubmitForm';
import { SendTime, type SendTimeDraft } from './SendTime';
import { nextHour, toInstant, toLocal } from './zone';

interface ScheduleProps {
  broadcast: Broadcast;
  open: boolean;
  onClose: () => void;
  onChanged: (broadcast: Broadcast) => void;
}

/** When a draft starts, or a new time for a scheduled broadcast. */
export function ScheduleDialog({ open, ...rest }: ScheduleProps) {
  return (
    <Dialog open={open} onClose={rest.onClose} title={t('broadcast.scheduleTitle')}>
      {open && <Form {...rest} />}
    </Dialog>
  );
}

function Form({ broadcast, onClose, onChanged }: Omit<ScheduleProps, 'open'>) {
  const { timezone } = useSession().account;
  const [draft, setDraft] = useState<SendTimeDraft>(() => ({
    when: broadcast.scheduled_at ? 'later' : 'now',
    at: broadcast.scheduled_at
      ? toLocal(new Date(broadcast.scheduled_at), timezone)
      : nextHour(Date.now(), timezone),
  }));
  const at = toInstant(draft.at, timezone);
  return (
    <SubmitForm
      action={draft.when === 'now' ? t('broadcast.sendNow') : t('broadcast.schedule')}
      disabled={draft.when === 'later' && (at === null || at.getTime() <= Date.now())}
      onCancel={onClose}
      onSubmit={async () => {
        const { data } = await call('POST /broadcasts/{id}/schedule', {
          path: { id: broadcast.id },
          body: draft.when === 'later' && at ? { schedule_at: at.toISOString() } : {},
        });
        onChanged(data);
        onClose();
      }}
    >
      {() => <SendTime draft={draft} timezone={timezone} onChange={setDraft} />}
    </SubmitForm>
  );
}
