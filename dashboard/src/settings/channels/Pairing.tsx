import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { call } from '@/api/client';
import { t } from '@/i18n';
import { Button } from '@/ui/Button';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextField } from '@/ui/Field';
import { Section } from '@/ui/Page';
import { QrCode } from '@/ui/QrCode';
import { Loading } from '@/ui/Spinner';
import { SubmitForm, textOf } from '@/ui/SubmitForm';
import { notify } from '@/ui/toast';
import { pairingQuery, pairingStartQuery } from '../queries';

/** Links a phone: a QR code to scan, at once, or a code to type on the phone. Both are renewed until it is linked. */
export function Pairing({ connectionId: id, onLinked }: { connectionId: string; onLinked: () => void }) {
  const client = useQueryClient();
  const begin = async (phone?: string) => {
    const { data } = await call('POST /app/api/admin/connections/{id}/pairing', {
      path: { id },
      body: phone ? { phone } : {},
    });
    client.setQueryData(pairingQuery(id).queryKey, data);
  };
  const again = useMutation({ mutationFn: () => begin() });
  const start = useQuery(pairingStartQuery(id));
  const query = useQuery({ ...pairingQuery(id), enabled: start.isSuccess });
  const pairing = query.data ?? start.data;
  const isConnected = pairing?.status === 'connected';
  const finish = useEffectEvent(onLinked);
  useEffect(() => {
    if (!isConnected) return;
    notify(t('pairing.done'));
    finish();
  }, [isConnected]);
  return (
    <Section title={t('pairing.title')}>
      <p className="mb-4 text-ink-soft">{t('pairing.help')}</p>
      {start.isPending && <Loading />}
      {start.isError && <ErrorNotice error={start.error} onRetry={() => void start.refetch()} />}
      {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {again.isError && <ErrorNotice error={again.error} />}
      {pairing?.status === 'failed' && (
        <div role="alert" className="flex flex-col items-center gap-3 p-4">
          <p>{t('pairing.failed')}</p>
          <Button kind="primary" busy={again.isPending} onClick={() => again.mutate()}>
            {t('pairing.again')}
          </Button>
        </div>
      )}
      {pairing?.status === 'waiting' && (
        <div className="grid gap-6 md:grid-cols-2">
          <div>{pairing.qr && <QrCode text={pairing.qr} label={t('pairing.qr')} />}</div>
          <div className="flex flex-col gap-4">
            {pairing.code && (
              <p className="text-center">
                {t('pairing.code')}
                <strong className="block font-mono text-figure tracking-widest" dir="ltr">
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
        </div>
      )}
    </Section>
  );
}
