import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { LinkInfo } from '@/api/app';
import { call } from '@/api/client';
import { ApiError } from '@/api/errors';
import { t } from '@/i18n';
import { Button } from '@/ui/Button';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Card } from './Card';
import { InvitationSummary } from './InvitationSummary';
import { sessionQuery } from './queries';
import { SignInForm } from './SignInForm';
import { useEnterSession } from './session';

interface JoinAccountProps {
  link: LinkInfo;
  token: string;
  onExpired: () => void;
}

/** A person whose address has a login signs in to it and joins the account of the invitation. */
export function JoinAccount({ link, token, onExpired }: JoinAccountProps) {
  const navigate = useNavigate();
  const enterSession = useEnterSession();
  const session = useQuery(sessionQuery);

  const join = async () => {
    try {
      await call('POST /app/api/invitation', { body: { token } });
      const body = { account_id: link.account_id };
      enterSession((await call('POST /app/api/session/account', { body })).data);
      await navigate({ to: '/' });
    } catch (cause) {
      if (!(cause instanceof ApiError && cause.status === 404)) throw cause;
      onExpired();
    }
  };
  const joinAtOnce = useMutation({ mutationFn: join });

  if (session.isPending) return null;
  const isTheirs = session.data?.user.email.toLowerCase() === link.email.toLowerCase();
  return (
    <Card title={t('join.title', { account: link.account_name })}>
      <InvitationSummary link={link} />
      {isTheirs ? (
        <div className="flex flex-col gap-3">
          <p>{t('join.signedIn', { email: link.email })}</p>
          {joinAtOnce.isError && <ErrorNotice error={joinAtOnce.error} />}
          <Button kind="primary" busy={joinAtOnce.isPending} onClick={() => joinAtOnce.mutate()}>
            {t('join.action')}
          </Button>
        </div>
      ) : (
        <SignInForm
          email={link.email}
          notice={<p className="mb-3">{t('join.help', { email: link.email })}</p>}
          onSignedIn={join}
        >
          <p className="text-sm text-ink-soft">{t('join.lost')}</p>
        </SignInForm>
      )}
    </Card>
  );
}
