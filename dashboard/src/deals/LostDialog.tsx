import type { FormEvent } from 'react';
import { t } from '@/i18n';
import { Button } from '@/ui/Button';
import { Dialog, DialogActions } from '@/ui/Dialog';
import { TextField } from '@/ui/Field';

/** Asks why a deal was lost. */
export function LostDialog({
  open,
  onClose,
  onLost,
}: {
  open: boolean;
  onClose: () => void;
  onLost: (reason: string | null) => unknown;
}) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const reason = String(new FormData(event.currentTarget).get('reason') ?? '').trim();
    onClose();
    void onLost(reason || null);
  };
  return (
    <Dialog open={open} onClose={onClose} title={t('deals.lost')} description={t('deals.lostHelp')}>
      <form onSubmit={submit}>
        <TextField label={t('deals.lostReason')} name="reason" maxLength={500} />
        <DialogActions>
          <Button onClick={onClose}>{t('ui.cancel')}</Button>
          <Button type="submit" kind="primary">
            {t('deals.lost')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
