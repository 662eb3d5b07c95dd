import { type FormEvent, type ReactNode, useState } from 'react';
import type { Session } from '@/api/app';
import { call } from '@/api/client';
import { ApiError } from '@/api/errors';
import { t } from '@/i18n';
import { Button } from '@/ui/Button';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextField } from '@/ui/Field';

interface SignInFormProps {
  /** The only address that makes sense here. */
  email?: string;
  /** Shown until an attempt fails. */
  notice?: ReactNode;
  /** Goes on once the person is signed in; a failure is shown. */
  onSignedIn: (session: Session) => Promise<void>;
  children?: ReactNode;
}

/** Email, password and, once the server asks for it, the code. */
export function SignInForm({ email, notice, onSignedIn, children }: SignInFormProps) {
  const [needsCode, setNeedsCode] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const code = String(form.get('code') ?? '').replaceAll(/\s/g, '');
    setBusy(true);
    setError(null);
    try {
      const body = {
        email: String(form.get('email')),
        password: String(form.get('password')),
        ...(code ? { code } : {}),
      };
      await onSignedIn((await call('POST /app/api/session', { body })).data);
    } catch (cause) {
      if (cause instanceof ApiError && cause.reason === 'code_required') setNeedsCode(true);
      else setError(cause);
    } finally {
      setBusy(false);
    }
  };

  const wrong = error instanceof ApiError && error.status === 401;
  return (
    <>
      {error === null && notice}
      <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
        <TextField
          label={t('signIn.email')}
          name="email"
          type="email"
          autoComplete="username"
          required
          {...(email ? { defaultValue: email, readOnly: true } : { autoFocus: true })}
        />
        <TextField
          label={t('signIn.password')}
          name="password"
          type="password"
          autoComplete="current-password"
          required
          autoFocus={Boolean(email)}
        />
        {needsCode && (
          <TextField
            label={t('signIn.code')}
            hint={t('signIn.codeHint')}
            name="code"
            autoComplete="one-time-code"
            required
            autoFocus
          />
        )}
        {wrong ? (
          <p role="alert" className="rounded-lg bg-danger-soft p-3">
            {needsCode ? t('signIn.wrongCode') : t('signIn.wrong')}
          </p>
        ) : (
          error !== null && <ErrorNotice error={error} />
        )}
        <Button type="submit" kind="primary" busy={busy}>
          {t('signIn.action')}
        </Button>
        {children}
      </form>
    </>
  );
}
