import { useState } from 'react';
import { call } from '@/api/client';
import type { Broadcast, BroadcastReport } from '@/api/schema';
import { t } from '@/i18n';
import { Dialog } from '@/ui/Dialog';
import { Checkbox } from '@/ui/Field';
import { SubmitForm } from '@/ui/SubmitForm';

interface RetryProps {
  broadcast: Broadcast;
  report: BroadcastReport | undefined;
  open: boolean;
  onClose: () => void;
  onChanged: (broadcast: Broadcast) => void;
}

/** Sends again to those whom a passing fault kept it from. */
export function RetryDialog({ broadcast, report, open, onClose, onChanged }: RetryProps) {
  const [includeUnknown, setIncludeUnknown] = useState(false);
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={t('broadcast.retryTitle')}
      description={t('broadcast.retryHelp')}
    >
      <SubmitForm
        action={t('broadcast.retry')}
        onCancel={onClose}
        onSubmit={async () => {
          const body = includeUnknown ? { include_unknown: true } : {};
          const { data } = await call('POST /broadcasts/{id}/retry', { path: { id: broadcast.id }, body });
          onChanged(data);
          onClose();
        }}
      >
        {() => (
          <>
            {report && (
              <p aria-live="polite" className="font-medium">
                {t('broadcast.retryCount', {
                  count: report.retryable + (includeUnknown ? report.retryable_unknown : 0),
                })}
              </p>
            )}
            <Checkbox
              label={t('broadcast.includeUnknown')}
              hint={t('broadcast.includeUnknownHelp')}
              checked={includeUnknown}
              onChange={(event) => setIncludeUnknown(event.target.checked)}
            />
          </>
        )}
      </SubmitForm>
    </Dialog>
  );
}
