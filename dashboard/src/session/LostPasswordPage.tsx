import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call } from '@/api/client';
import { t } from '@/i18n';
import { Button } from '@/ui/Button';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextField } from '@/ui/Field';
import { Card } from './Card';

/** Asks for a link by mail. The server does not say whether it knows the address, and neither does this page. */
export function LostPasswordPage() {
  const request = useMutation({
    mutationFn: async (form: FormData) => {
      await call('POST /app/api/password/lost', { body: { email: String(form.get('email')) } });
    },
  });
  return (
    <Card title={t('lost.title')}>
      {request.isSuccess ? (
        <p role="status">{t('lost.sent')}</p>
      ) : (
        <form
          className="flex flex-col gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            request.mutate(new FormData(event.currentTarget));
          }}
        >
          <p className="text-ink-soft">{t('lost.help')}</p>
          <TextField
            label={t('signIn.email')}
            name="email"
            type="email"
            autoComplete="username"
            required
            autoFocus
          />
          {request.isError && <ErrorNotice error={request.error} />}
          <Button type="submit" kind="primary" busy={request.isPending}>
            {t('lost.action')}
          </Button>
        </form>
      )}
      <p className="mt-4 text-sm">
        <Link to="/sign-in" className="underline">
          {t('lost.back')}
        </Link>
      </p>
    </Card>
  );
}
