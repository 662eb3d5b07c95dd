import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { call } from '@/api/client';
import { ApiError } from '@/api/errors';
import { t } from '@/i18n';
import { Button } from '@/ui/Button';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextField } from '@/ui/Field';
import { notify } from '@/ui/toast';
import { PASSWORD_CHARACTERS_MIN } from './password';

interface ChoosePasswordProps {
  token: string;
  onExpired: () => void;
  /** The address got a login since the page was opened. */
  onLoginExists: () => void;
}

/** Sets the password by a link. */
export function ChoosePassword({ token, onExpired, onLoginExists }: ChoosePasswordProps) {
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [mismatch, setMismatch] = useState(false);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const password = String(form.get('password'));
    const differs = password !== form.get('again');
    setMismatch(differs);
    if (differs) return;
    setBusy(true);
    setError(null);
    try {
      await call('POST /app/api/password', { body: { token, password } });
      notify(t('password.set'));
      await navigate({ to: '/sign-in' });
    } catch (cause) {
      setBusy(false);
      if (cause instanceof ApiError && cause.status === 404) onExpired();
      else if (cause instanceof ApiError && cause.reason === 'login_exists') onLoginExists();
      else setError(cause);
    }
  };

  const weak = error instanceof ApiError ? error.at('password') : undefined;
  return (
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
        error={weak}
      />
      <TextField
        label={t('password.again')}
        name="again"
        type="password"
        autoComplete="new-password"
        required
        error={mismatch ? t('password.mismatch') : undefined}
      />
      {error !== null && !weak && <ErrorNotice error={error} />}
      <Button type="submit" kind="primary" busy={busy}>
        {t('password.action')}
      </Button>
    </form>
  );
}
