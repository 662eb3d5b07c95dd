import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useEffectEvent, useState } from 'react';
import type { Session } from '@/api/app';
import { call } from '@/api/client';
import { ApiError } from '@/api/errors';
import { t } from '@/i18n';
import { Button } from '@/ui/Button';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextField } from '@/ui/Field';
import { Card } from './Card';
import { takeLinkToken } from './link';
import { useEnterSession } from './session';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const { next, ended } = route.useSearch();
  const navigate = useNavigate();
  const enterSession = useEnterSession();
  const [needsCode, setNeedsCode] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [usedLink, setUsedLink] = useState(false);

  const enter = async (request: Promise<{ data: Session }>) => {
    setBusy(true);
    setError(null);
    setUsedLink(false);
    try {
      enterSession((await request).data);
      await navigate({ to: '/inbox', ...(next && { href: next }) });
    } catch (cause) {
      if (cause instanceof ApiError && cause.reason === 'code_required') setNeedsCode(true);
      else if (cause instanceof ApiError && cause.status === 404) setUsedLink(true);
      else setError(cause);
    } finally {
      setBusy(false);
    }
  };

  // Also when the link is opened in a tab that shows this page: then only the part after `#` changes.
  const openLink = useEffectEvent(() => {
    const token = takeLinkToken();
    if (token) void enter(call('POST /app/api/session/link', { body: { token } }));
  });
  useEffect(() => {
    const open = () => openLink();
    open();
    addEventListener('hashchange', open);
    return () => removeEventListener('hashchange', open);
  }, []);

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const code = String(form.get('code') ?? '').replaceAll(/\s/g, '');
    const body = {
      email: String(form.get('email')),
      password: String(form.get('password')),
      ...(code ? { code } : {}),
    };
    void enter(call('POST /app/api/session', { body }));
  };

  const wrong = error instanceof ApiError && error.status === 401;
  return (
    <Card title={t('signIn.title')}>
      {usedLink && (
        <p role="alert" className="mb-3 rounded-lg bg-danger-soft p-3">
          {t('password.expired')}. {t('password.expiredHelp')}
        </p>
      )}
      {ended && !error && <p className="mb-3 rounded-lg bg-warning-soft p-3">{t('signIn.ended')}</p>}
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label={t('signIn.email')}
          name="email"
          type="email"
          autoComplete="username"
          required
          autoFocus
        />
        <TextField
          label={t('signIn.password')}
          name="password"
          type="password"
          autoComplete="current-password"
          required
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
        <p className="text-sm text-ink-soft">{t('signIn.help')}</p>
      </form>
    </Card>
  );
}
