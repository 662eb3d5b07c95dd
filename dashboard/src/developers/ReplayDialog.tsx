import { call } from '@/api/client';
import type { NewReplay } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { Dialog } from '@/ui/Dialog';
import { TextField } from '@/ui/Field';
import { SelectField } from '@/ui/SelectField';
import { SubmitForm, textOf } from '@/ui/SubmitForm';
import { notify } from '@/ui/toast';
import { localInput } from './times';

const DAY_MS = 24 * 60 * 60_000;
const WHICH = ['unsuccessful', 'failed', 'exhausted', 'succeeded', 'all'] as const;

interface ReplayDialogProps {
  endpointId: string;
  open: boolean;
  onClose: () => void;
  onReplayed: () => Promise<unknown>;
}

/** Sends the deliveries of a range again: after a receiver was down, or has forgotten. */
export function ReplayDialog({ endpointId, open, onClose, onReplayed }: ReplayDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title={t('webhooks.replay')} description={t('replay.help')}>
      <SubmitForm
        action={t('replay.action')}
        onCancel={onClose}
        onSubmit={async (form) => {
          const until = textOf(form, 'until');
          const which = textOf(form, 'which');
          const body: NewReplay = {
            since: new Date(textOf(form, 'since')).toISOString(),
            ...(until && { until: new Date(until).toISOString() }),
            ...(which !== 'unsuccessful' && { status: which as NonNullable<NewReplay['status']> }),
          };
          const { data } = await call('POST /webhooks/{id}/replay', { path: { id: endpointId }, body });
          onClose();
          notify(t('replay.done', { count: data.count }));
          await onReplayed();
        }}
      >
        {(errorAt) => (
          <>
            <TextField
              label={t('replay.since')}
              name="since"
              type="datetime-local"
              required
              defaultValue={localInput(Date.now() - DAY_MS)}
              error={errorAt('since')}
            />
            <TextField
              label={t('replay.until')}
              name="until"
              type="datetime-local"
              hint={t('replay.untilHint')}
              error={errorAt('until')}
            />
            <SelectField label={t('replay.which')} name="which" defaultValue="unsuccessful">
              {WHICH.map((which) => (
                <option key={which} value={which}>
                  {tDynamic('replayWhich', which)}
                </option>
              ))}
            </SelectField>
          </>
        )}
      </SubmitForm>
    </Dialog>
  );
}
