import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
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

const asksForCode = (error: unknown) => error instanceof ApiError && error.reason === 'code_required';

/** Email, password and, once the server asks for it, the code. */
export function SignInForm({ email, notice, onSignedIn, children }: SignInFormProps) {
  const [needsCode, setNeedsCode] = useState(false);
  const signIn = useMutation({
    mutationFn: async (form: FormData) => {
      const code = String(form.get('code') ?? '').replaceAll(/\s/g, '');
      const body = {
        email: String(form.get('email')),
        password: String(form.get('password')),
        ...(code ? { code } : {}),
      };
      await onSignedIn((await call('POST /app/api/session', { body })).data);
    },
    onError: (cause) => asksForCode(cause) && setNeedsCode(true),
  });

  const error = asksForCode(signIn.error) ? null : signIn.error;
  const wrong = error instanceof ApiError && error.status === 401;
  return (
    <>
      {error === null && notice}
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          signIn.mutate(new FormData(event.currentTarget));
        }}
      >
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
        <Button type="submit" kind="primary" busy={signIn.isPending}>
          {t('signIn.action')}
        </Button>
        {children}
      </form>
    </>
  );
}
