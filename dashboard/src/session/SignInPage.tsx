import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import type { Session } from '@/api/app';
import { call } from '@/api/client';
import { ApiError } from '@/api/errors';
import { t } from '@/i18n';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Card } from './Card';
import { takeLinkToken } from './link';
import { ProviderButton } from './ProviderButton';
import { signInOptionsQuery } from './queries';
import { SignInForm } from './SignInForm';
import { useEnterSession } from './session';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const { next, ended } = route.useSearch();
  const navigate = useNavigate();
  const enterSession = useEnterSession();
  const options = useQuery(signInOptionsQuery).data;
  const [linkError, setLinkError] = useState<unknown>(null);

  const enter = async (session: Session) => {
    enterSession(session);
    await navigate({ to: '/', ...(next && { href: next }) });
  };

  // Also when the link is opened in a tab that shows this page: then only the part after `#` changes.
  const openLink = useEffectEvent(async () => {
    const token = takeLinkToken();
    if (!token) return;
    setLinkError(null);
    try {
      await enter((await call('POST /app/api/session/link', { body: { token } })).data);
    } catch (cause) {
      setLinkError(cause);
    }
  });
  useEffect(() => {
    const open = () => void openLink();
    open();
    addEventListener('hashchange', open);
    return () => removeEventListener('hashchange', open);
  }, []);

  const usedLink = linkError instanceof ApiError && linkError.status === 404;
  return (
    <Card title={t('signIn.title')}>
      {usedLink ? (
        <p role="alert" className="mb-3 rounded-lg bg-danger-soft p-3">
          {t('password.expired')}. {t('password.expiredHelp')}
        </p>
      ) : (
        linkError !== null && <ErrorNotice error={linkError} />
      )}
      {options?.provider && <ProviderButton name={options.provider} next={next} />}
      {options?.provider && !options.provider_only && (
        <p className="my-4 text-center text-sm text-ink-soft">{t('signIn.or')}</p>
      )}
      {!options?.provider_only && (
        <SignInForm
          notice={ended && <p className="mb-3 rounded-lg bg-warning-soft p-3">{t('signIn.ended')}</p>}
          onSignedIn={enter}
        >
          {options?.password_mails ? (
            <p className="text-sm">
              <Link to="/lost-password" className="underline">
                {t('signIn.lost')}
              </Link>
            </p>
          ) : (
            <p className="text-sm text-ink-soft">{t('signIn.help')}</p>
          )}
        </SignInForm>
      )}
    </Card>
  );
}
