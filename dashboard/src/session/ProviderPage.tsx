import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { call } from '@/api/client';
import { ApiError } from '@/api/errors';
import { t } from '@/i18n';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Spinner } from '@/ui/Spinner';
import { Card } from './Card';
import { takeNext, takeReturn } from './provider';
import { useEnterSession } from './session';

/** Why the server does not let a person in whom the provider has confirmed. */
const REFUSALS = {
  not_a_member: 'signIn.notAMember',
  no_role: 'signIn.noRole',
  domain: 'signIn.domain',
  another_person: 'signIn.anotherPerson',
  several_logins: 'signIn.severalLogins',
  provider_refused: 'signIn.notConfirmed',
} as const;

function refusal(error: unknown): string | null {
  const reason = error instanceof ApiError ? error.reason : undefined;
  return reason && reason in REFUSALS ? t(REFUSALS[reason as keyof typeof REFUSALS]) : null;
}

type Outcome = 'waiting' | 'cancelled' | { error: unknown };

/** Where the provider sends the browser back to: it finishes the sign-in and goes on. */
export function ProviderPage() {
  const navigate = useNavigate();
  const enterSession = useEnterSession();
  const [outcome, setOutcome] = useState<Outcome>('waiting');

  const isRead = useRef(false);

  const finish = useEffectEvent(async () => {
    const returned = takeReturn();
    // Somebody who opens this page without having been at the provider begins at the sign-in page.
    if (!returned) {
      await navigate({ to: '/sign-in', replace: true });
      return;
    }
    if (!returned.code || !returned.state) {
      setOutcome('cancelled');
      return;
    }
    try {
      const body = { code: returned.code, state: returned.state };
      enterSession((await call('POST /app/api/session/provider/finish', { body })).data);
      const next = takeNext();
      await navigate({ to: '/', replace: true, ...(next && { href: next }) });
    } catch (error) {
      setOutcome({ error });
    }
  });
  useEffect(() => {
    // The address is read once, however often React runs this.
    if (isRead.current) return;
    isRead.current = true;
    void finish();
  }, []);

  return (
    <Card title={t('signIn.title')}>
      {outcome === 'waiting' && (
        <p role="status" className="flex items-center gap-2">
          <Spinner /> {t('signIn.finishing')}
        </p>
      )}
      {outcome === 'cancelled' && (
        <p role="alert" className="rounded-lg bg-warning-soft p-3">
          {t('signIn.cancelled')}
        </p>
      )}
      {typeof outcome === 'object' &&
        (refusal(outcome.error) ? (
          <p role="alert" className="rounded-lg bg-danger-soft p-3">
            {refusal(outcome.error)}
          </p>
        ) : (
          <ErrorNotice error={outcome.error} />
        ))}
      {outcome !== 'waiting' && (
        <p className="mt-4">
          <Link to="/sign-in" className="underline">
            {t('signIn.back')}
          </Link>
        </p>
      )}
    </Card>
  );
}
