import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '@/api/client';
import { t } from '@/i18n';
import { sessionQuery } from '@/session/queries';
import { useSession } from '@/session/session';
import { Button } from '@/ui/Button';
import { CopyField } from '@/ui/Copy';
import { Dialog } from '@/ui/Dialog';
import { download } from '@/ui/download';
import { TextField } from '@/ui/Field';
import { Section } from '@/ui/Page';
import { QrCode } from '@/ui/QrCode';
import { SubmitForm, textOf } from '@/ui/SubmitForm';
import { Badge } from '@/ui/Tag';
import { notify } from '@/ui/toast';

/** Setting up and removing the code from an authenticator app. */
export function SecondFactor() {
  const client = useQueryClient();
  const { user } = useSession();
  const [setup, setSetup] = useState<{ secret: string; uri: string } | null>(null);
  const [recovery, setRecovery] = useState<string[] | null>(null);
  /** What the password, and the current code where there is one, are asked for. */
  const [proving, setProving] = useState<'setUp' | 'remove' | null>(null);
  const prove = async (form: FormData) => {
    const password = String(form.get('password'));
    const code = textOf(form, 'code').replaceAll(' ', '');
    if (proving === 'remove') {
      const body = { password, code };
      const { data } = await call('POST /app/api/profile/second-factor/remove', { body });
      client.setQueryData(sessionQuery.queryKey, data);
      notify(t('secondFactor.removed'));
    } else {
      const body = { password, ...(code && { code }) };
      setSetup((await call('POST /app/api/profile/second-factor', { body })).data);
    }
    setProving(null);
  };
  return (
    <Section
      title={t('secondFactor.title')}
      actions={
        <Badge tone={user.second_factor ? 'accent' : 'neutral'}>
          {user.second_factor ? t('secondFactor.on') : t('secondFactor.off')}
        </Badge>
      }
    >
      <p className="mb-3 text-ink-soft">{t('secondFactor.help')}</p>
      {user.second_factor ? (
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setProving('setUp')}>{t('secondFactor.replace')}</Button>
          <Button onClick={() => setProving('remove')}>{t('secondFactor.remove')}</Button>
        </div>
      ) : user.has_password ? (
        <Button kind="primary" onClick={() => setProving('setUp')}>
          {t('secondFactor.setUp')}
        </Button>
      ) : (
        <p>{t('secondFactor.needsPassword')}</p>
      )}
      <Dialog
        open={setup !== null}
        onClose={() => setSetup(null)}
        title={t('secondFactor.setUp')}
        description={t('secondFactor.scan')}
      >
        {setup && (
          <div className="flex flex-col gap-4">
            <QrCode text={setup.uri} label={t('secondFactor.qr')} />
            <CopyField label={t('secondFactor.secret')} value={setup.secret} />
            <SubmitForm
              action={t('secondFactor.confirm')}
              onCancel={() => setSetup(null)}
              onSubmit={async (form) => {
                const { data } = await call('POST /app/api/profile/second-factor/confirm', {
                  body: { code: textOf(form, 'code').replaceAll(' ', '') },
                });
                await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
                setSetup(null);
                setRecovery(data.recovery_codes);
              }}
            >
              {(errorAt) => (
                <TextField
                  label={t('secondFactor.code')}
                  name="code"
                  inputMode="numeric"
                  autoComplete="one-time-code"
                  required
                  error={errorAt('code')}
                />
              )}
            </SubmitForm>
          </div>
        )}
      </Dialog>
      <Dialog
        open={recovery !== null}
        onClose={() => setRecovery(null)}
        title={t('secondFactor.recovery')}
        description={t('secondFactor.recoveryHelp')}
      >
        {recovery && <RecoveryCodes codes={recovery} onClose={() => setRecovery(null)} />}
      </Dialog>
      <Dialog
        open={proving !== null}
        onClose={() => setProving(null)}
        title={proving === 'remove' ? t('secondFactor.remove') : t('secondFactor.setUp')}
        description={user.second_factor ? t('secondFactor.proveCode') : t('secondFactor.prove')}
      >
        <SubmitForm
          action={proving === 'remove' ? t('secondFactor.remove') : t('secondFactor.go')}
          onCancel={() => setProving(null)}
          onSubmit={prove}
        >
          {(errorAt) => (
            <>
              <TextField
                label={t('signIn.password')}
                name="password"
                type="password"
                autoComplete="current-password"
                required
                error={errorAt('password')}
              />
              {user.second_factor && (
                <TextField
                  label={t('secondFactor.currentCode')}
                  hint={t('signIn.codeHint')}
                  name="code"
                  autoComplete="one-time-code"
                  required
                  error={errorAt('code')}
                />
              )}
            </>
          )}
        </SubmitForm>
      </Dialog>
    </Section>
  );
}

function RecoveryCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  return (
    <>
      <ul className="grid grid-cols-2 gap-2 font-mono">
        {codes.map((code) => (
          <li key={code} className="rounded bg-sunken px-2 py-1 text-center">
            {code}
          </li>
        ))}
      </ul>
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={() => download('frontdesk-recovery-codes.txt', codes.join('\n'), 'text/plain')}>
          {t('secondFactor.download')}
        </Button>
        <Button kind="primary" onClick={onClose}>
          {t('secondFactor.kept')}
        </Button>
      </div>
    </>
  );
}
