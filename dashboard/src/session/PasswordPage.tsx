import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError } from '@/api/errors';
import { t } from '@/i18n';
import { Button } from '@/ui/Button';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Card } from './Card';
import { ChoosePassword } from './ChoosePassword';
import { InvitationSummary } from './InvitationSummary';
import { JoinAccount } from './JoinAccount';
import { takeLinkToken } from './link';
import { linkQuery } from './queries';

/** Where the one-time link of an invitation or a reset leads. */
export function PasswordPage() {
  const [token, setToken] = useState(takeLinkToken);
  const [joins, setJoins] = useState(false);
  const [expired, setExpired] = useState(false);

  useEffect(() => {
    const open = () => {
      const newer = takeLinkToken();
      if (!newer) return;
      setToken(newer);
      setJoins(false);
      setExpired(false);
    };
    addEventListener('hashchange', open);
    return () => removeEventListener('hashchange', open);
  }, []);

  const link = useQuery({ ...linkQuery(token ?? ''), enabled: token !== null });
  const isUsedUp = link.error instanceof ApiError && (link.error.status === 404 || link.error.status === 400);
  if (token === null || expired || isUsedUp) {
    return (
      <Card title={t('password.expired')}>
        <p>{t('password.expiredHelp')}</p>
      </Card>
    );
  }
  if (link.isError) {
    return (
      <Card title={t('password.title')}>
        <ErrorNotice error={link.error} />
      </Card>
    );
  }
  if (!link.data) return null;
  if (joins || !link.data.sets_password) {
    return <JoinAccount link={link.data} token={token} onExpired={() => setExpired(true)} />;
  }
  return (
    <Card title={t('password.title')}>
      <InvitationSummary link={link.data} />
      <ChoosePassword token={token} onExpired={() => setExpired(true)} onLoginExists={() => setJoins(true)} />
      {link.data.has_login && (
        <div className="mt-4 flex flex-col gap-2 border-t border-line pt-4">
          <p className="text-sm text-ink-soft">{t('join.instead')}</p>
          <Button onClick={() => setJoins(true)}>{t('join.signIn')}</Button>
        </div>
      )}
    </Card>
  );
}
