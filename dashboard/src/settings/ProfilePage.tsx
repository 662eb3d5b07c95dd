import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '@/api/client';
import { t } from '@/i18n';
import { PASSWORD_CHARACTERS_MIN } from '@/session/password';
import { sessionQuery } from '@/session/queries';
import { useSession } from '@/session/session';
import { Button } from '@/ui/Button';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextField } from '@/ui/Field';
import { Page, Section } from '@/ui/Page';
import { Loading } from '@/ui/Spinner';
import { SubmitForm, textOf } from '@/ui/SubmitForm';
import { Badge } from '@/ui/Tag';
import { Time } from '@/ui/Time';
import { notify, notifyFailure } from '@/ui/toast';
import { browserName } from './browser';
import { sessionsQuery } from './queries';
import { SecondFactor } from './SecondFactor';

export function ProfilePage() {
  return (
    <Page title={t('settings.profile')}>
      <div className="settings-column flex flex-col gap-4">
        <OwnName />
        <OwnPassword />
        <SecondFactor />
        <Sessions />
      </div>
    </Page>
  );
}

function OwnName() {
  const client = useQueryClient();
  const { user } = useSession();
  return (
    <Section title={t('profile.about')}>
      <SubmitForm
        action={t('ui.save')}
        onSubmit={async (form) => {
          const { data } = await call('PATCH /app/api/profile', { body: { name: textOf(form, 'name') } });
          client.setQueryData(sessionQuery.queryKey, data);
          notify(t('ui.saved'));
        }}
      >
        {(errorAt) => (
          <>
            <TextField
              label={t('profile.name')}
              name="name"
              defaultValue={user.name}
              required
              maxLength={200}
              autoComplete="name"
              error={errorAt('name')}
            />
            <TextField label={t('signIn.email')} value={user.email} readOnly hint={t('profile.emailHint')} />
          </>
        )}
      </SubmitForm>
    </Section>
  );
}

/** Changes the password, or sets the first one of a person who came by a sign-in link. */
function OwnPassword() {
  const client = useQueryClient();
  const { user } = useSession();
  const [round, setRound] = useState(0);
  return (
    <Section title={user.has_password ? t('profile.password') : t('profile.setPassword')}>
      {!user.has_password && <p className="mb-3 text-ink-soft">{t('profile.setPasswordHelp')}</p>}
      <SubmitForm
        key={round}
        action={user.has_password ? t('profile.changePassword') : t('profile.setPassword')}
        onSubmit={async (form) => {
          const body = {
            password: String(form.get('password')),
            ...(user.has_password && { current_password: String(form.get('current')) }),
          };
          const { data } = await call('POST /app/api/profile/password', { body });
          notify(user.has_password ? t('profile.passwordChanged') : t('profile.passwordSet'));
          client.setQueryData(sessionQuery.queryKey, data);
          setRound(round + 1);
        }}
      >
        {(errorAt) => (
          <>
            {user.has_password && (
              <TextField
                label={t('profile.currentPassword')}
                name="current"
                type="password"
                autoComplete="current-password"
                required
                error={errorAt('current_password')}
              />
            )}
            <TextField
              label={t('password.new')}
              hint={t('password.hint', { count: PASSWORD_CHARACTERS_MIN })}
              name="password"
              type="password"
              autoComplete="new-password"
              minLength={PASSWORD_CHARACTERS_MIN}
              required
              error={errorAt('password')}
            />
          </>
        )}
      </SubmitForm>
    </Section>
  );
}

function Sessions() {
  const client = useQueryClient();
  const query = useQuery(sessionsQuery);
  const end = async (ids: string[]) => {
    try {
      await Promise.all(ids.map((id) => call('DELETE /app/api/sessions/{id}', { path: { id } })));
    } catch (error) {
      notifyFailure(t('profile.endFailed'), error);
    } finally {
      await client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    }
  };
  const others = query.data?.filter((session) => !session.current) ?? [];
  return (
    <Section
      title={t('profile.sessions')}
      actions={
        others.length > 0 && (
          <Button onClick={() => void end(others.map((session) => session.id))}>
            {t('profile.endOthers')}
          </Button>
        )
      }
    >
      {query.isPending && <Loading />}
      {query.isError && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      <ul className="divide-y divide-line">
        {query.data?.map((session) => (
          <li key={session.id} className="flex items-center gap-3 py-2.5">
            <div className="min-w-0 flex-1">
              <p className="break-words" title={session.user_agent}>
                {browserName(session.user_agent)}
              </p>
              <p className="text-sm text-ink-soft">
                {session.address} · {t('profile.lastUsed')}{' '}
                <Time at={session.last_used_at} style="relative" />
              </p>
            </div>
            {session.current ? (
              <Badge tone="accent">{t('profile.thisOne')}</Badge>
            ) : (
              <Button onClick={() => void end([session.id])}>{t('profile.end')}</Button>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}
