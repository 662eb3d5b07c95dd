import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
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
  const [mismatch, setMismatch] = useState(false);
  const save = useMutation({
    mutationFn: (password: string) => call('POST /app/api/password', { body: { token, password } }),
    onSuccess: async () => {
      notify(t('password.set'));
      await navigate({ to: '/sign-in' });
    },
    onError: (cause) => {
      if (cause instanceof ApiError && cause.status === 404) onExpired();
      else if (cause instanceof ApiError && cause.reason === 'login_exists') onLoginExists();
    },
  });
  const submit = (form: FormData) => {
    const password = String(form.get('password'));
    const differs = password !== form.get('again');
    setMismatch(differs);
    if (!differs) save.mutate(password);
  };

  const weak = save.error instanceof ApiError ? save.error.at('password') : undefined;
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        submit(new FormData(event.currentTarget));
      }}
    >
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
      {save.isError && !weak && <ErrorNotice error={save.error} />}
      <Button type="submit" kind="primary" busy={save.isPending}>
        {t('password.action')}
      </Button>
    </form>
  );
}
