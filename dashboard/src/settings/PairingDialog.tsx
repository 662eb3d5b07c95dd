import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ConnectionDetail } from '@/api/app';
import { call } from '@/api/client';
import { t } from '@/i18n';
import { Button } from '@/ui/Button';
import { Dialog, DialogActions } from '@/ui/Dialog';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextField } from '@/ui/Field';
import { QrCode } from '@/ui/QrCode';
import { Loading } from '@/ui/Spinner';
import { SubmitForm, textOf } from '@/ui/SubmitForm';
import { notify } from '@/ui/toast';
import { pairingQuery, pairingStartQuery } from './queries';

/** Links a phone: a QR code to scan, or a code to type on the phone. Both are renewed until it is linked. */
export function PairingDialog({
  connection,
  onClose,
}: {
  connection: ConnectionDetail;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const path = { id: connection.id };
  const begin = async (phone?: string) => {
    const { data } = await call('POST /app/api/admin/connections/{id}/pairing', {
      path,
      body: phone ? { phone } : {},
    });
    client.setQueryData(pairingQuery(connection.id).queryKey, data);
  };
  const start = useQuery(pairingStartQuery(connection.id));
  const query = useQuery({ ...pairingQuery(connection.id), enabled: start.isSuccess });
  const pairing = query.data ?? start.data;
  const connected = pairing?.status === 'connected';
  useEffect(() => {
    if (!connected) return;
    notify(t('pairing.done'));
    onClose();
  }, [connected, onClose]);
  const ended = pairing?.status === 'failed';
  return (
    <Dialog open onClose={onClose} title={t('pairing.title')} description={t('pairing.help')}>
      {start.isPending && <Loading />}
      {start.isError && <ErrorNotice error={start.error} onRetry={() => void start.refetch()} />}
      {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {ended && (
        <div role="alert" className="flex flex-col items-center gap-3 p-4">
          <p>{t('pairing.failed')}</p>
          <Button kind="primary" onClick={() => void begin()}>
            {t('pairing.again')}
          </Button>
        </div>
      )}
      {pairing?.status === 'waiting' && (
        <div className="flex flex-col gap-4">
          {pairing.qr && <QrCode text={pairing.qr} label={t('pairing.qr')} />}
          {pairing.code && (
            <p className="text-center">
              {t('pairing.code')}
              <strong className="block font-mono text-3xl tracking-widest" dir="ltr">
                {pairing.code.replace(/^(.{4})(.{4})$/, '$1-$2')}
              </strong>
            </p>
          )}
          <SubmitForm action={t('pairing.getCode')} onSubmit={(form) => begin(textOf(form, 'phone'))}>
            {(errorAt) => (
              <TextField
                label={t('pairing.phone')}
                name="phone"
                type="tel"
                hint={t('pairing.phoneHint')}
                required
                error={errorAt('phone')}
              />
            )}
          </SubmitForm>
        </div>
      )}
      <DialogActions>
        <Button onClick={onClose}>{t('ui.close')}</Button>
      </DialogActions>
    </Dialog>
  );
}
