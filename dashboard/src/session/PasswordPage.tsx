import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { call } from '@/api/client';
import { ApiError } from '@/api/errors';
import { t } from '@/i18n';
import { Button } from '@/ui/Button';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextField } from '@/ui/Field';
import { notify } from '@/ui/toast';
import { Card } from './Card';
import { takeLinkToken } from './link';
import { PASSWORD_CHARACTERS_MIN } from './password';

/** Where the one-time link of an invitation or a reset leads. */
export function PasswordPage() {
  const [token, setToken] = useState(takeLinkToken);
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [mismatch, setMismatch] = useState(false);

  useEffect(() => {
    const open = () => {
      const newer = takeLinkToken();
      if (!newer) return;
      setToken(newer);
      setError(null);
    };
    addEventListener('hashchange', open);
    return () => removeEventListener('hashchange', open);
  }, []);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const password = String(form.get('password'));
    const differs = password !== form.get('again');
    setMismatch(differs);
    if (differs || !token) return;
    setBusy(true);
    setError(null);
    try {
      await call('POST /app/api/password', { body: { token, password } });
      notify(t('password.set'));
      await navigate({ to: '/sign-in' });
    } catch (cause) {
      setError(cause);
      setBusy(false);
    }
  };

  const expired = !token || (error instanceof ApiError && (error.status === 404 || error.status === 401));
  if (expired) {
    return (
      <Card title={t('password.expired')}>
        <p>{t('password.expiredHelp')}</p>
      </Card>
    );
  }
  return (
    <Card title={t('password.title')}>
      <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
        <TextField
          label={t('password.new')}
          hint={t('password.hint', { count: PASSWORD_CHARACTERS_MIN })}
          name="password"
          type="password"
          autoComplete="new-password"
          minLength={PASSWORD_CHARACTERS_MIN}
          required
          autoFocus
          error={error instanceof ApiError ? error.at('password') : undefined}
        />
        <TextField
          label={t('password.again')}
          name="again"
          type="password"
          autoComplete="new-password"
          required
          error={mismatch ? t('password.mismatch') : undefined}
        />
        {error !== null && !(error instanceof ApiError && error.at('password')) && (
          <ErrorNotice error={error} />
        )}
        <Button type="submit" kind="primary" busy={busy}>
          {t('password.action')}
        </Button>
      </form>
    </Card>
  );
}
