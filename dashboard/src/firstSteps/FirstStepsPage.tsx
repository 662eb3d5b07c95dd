import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Check, ExternalLink } from 'lucide-react';
import { useEffect } from 'react';
import { t } from '@/i18n';
import { useSandboxUrl } from '@/inbox/SandboxLink';
import { connectionsQuery } from '@/session/queries';
import { useCan, useIsAdmin, useSession } from '@/session/session';
import { Button } from '@/ui/Button';
import { ButtonLink, buttonLook } from '@/ui/ButtonLink';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { Page } from '@/ui/Page';
import { Badge } from '@/ui/Tag';
import { notify } from '@/ui/toast';
import { keepGuide, useGuide } from './kept';
import { useFacts } from './queries';
import { openSteps, type Step, stepsFor } from './steps';

const TEXT = {
  channel: { title: 'firstSteps.channel', help: 'firstSteps.channelHelp' },
  invite: { title: 'firstSteps.invite', help: 'firstSteps.inviteHelp' },
  assistant: { title: 'firstSteps.assistant', help: 'firstSteps.assistantHelp' },
  contacts: { title: 'firstSteps.contacts', help: 'firstSteps.contactsHelp' },
} as const;

/** What a new account needs to work, step by step. Each says by itself when it is done. */
export function FirstStepsPage() {
  const session = useSession();
  const navigate = useNavigate();
  const { away, skipped } = useGuide();
  const steps = stepsFor(useIsAdmin(), useCan());
  const { facts, error, retry } = useFacts(steps);
  const open = openSteps(steps, facts, skipped);
  // Somebody who came by the palette or a link has seen it, too.
  useEffect(() => keepGuide(session, { seen: true }), [session]);
  const putAway = () => {
    keepGuide(session, { away: true });
    notify(t('firstSteps.awayHelp'));
    void navigate({ to: '/inbox' });
  };
  return (
    <Page
      title={t('nav.firstSteps')}
      actions={
        away ? (
          <Button onClick={() => keepGuide(session, { away: false })}>{t('firstSteps.showInMenu')}</Button>
        ) : (
          <Button onClick={putAway}>{t('firstSteps.putAway')}</Button>
        )
      }
    >
      <div className="page-column flex flex-col gap-4">
        <p className="text-ink-soft">{t('firstSteps.intro', { account: session.account.name })}</p>
        {!session.user.has_password && <PasswordNotice />}
        {error !== null && <ErrorNotice error={error} onRetry={retry} />}
        <Progress done={steps.length - open.length} total={steps.length} />
        <ol className="divide-y divide-line rounded-xl border border-line bg-surface">
          {steps.map((step, index) => (
            <StepRow
              key={step}
              step={step}
              number={index + 1}
              isDone={facts[step] === true}
              isSkipped={skipped.includes(step)}
              onSkip={() => keepGuide(session, { skipped: [...skipped, step] })}
              onResume={() => keepGuide(session, { skipped: skipped.filter((other) => other !== step) })}
            />
          ))}
        </ol>
      </div>
    </Page>
  );
}

/** A person who came by the link of the first start could not sign in again. */
function PasswordNotice() {
  return (
    <p className="rounded-xl bg-warning-soft p-4">
      {t('profile.setPasswordHelp')}{' '}
      <Link to="/settings" className="font-medium underline">
        {t('profile.setPassword')}
      </Link>
    </p>
  );
}

function Progress({ done, total }: { done: number; total: number }) {
  return (
    <div role="status" className="flex items-center gap-3">
      <progress
        aria-label={t('firstSteps.progress')}
        value={done}
        max={total}
        className="h-2 flex-1 appearance-none overflow-hidden rounded-full bg-sunken [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent"
      />
      <span className="text-sm text-ink-soft tabular-nums">
        {done === total ? t('firstSteps.allDone') : t('firstSteps.done', { done, total })}
      </span>
    </div>
  );
}

interface StepRowProps {
  step: Step;
  number: number;
  isDone: boolean;
  isSkipped: boolean;
  onSkip: () => void;
  onResume: () => void;
}

function StepRow({ step, number, isDone, isSkipped, onSkip, onResume }: StepRowProps) {
  const title = t(TEXT[step].title);
  const isOpen = !isDone && !isSkipped;
  return (
    <li className="flex gap-3 p-4" aria-label={title}>
      <span
        aria-hidden
        className={`mt-0.5 flex size-7 shrink-0 items-center justify-center rounded-full text-sm font-semibold ${isDone ? 'bg-accent text-on-accent' : 'border border-line-strong text-ink-soft'}`}
      >
        {isDone ? <Check size={16} /> : number}
      </span>
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-center gap-2">
          <h2 className={`font-semibold ${isOpen ? '' : 'text-ink-soft'}`}>{title}</h2>
          {isDone && <Badge tone="success">{t('firstSteps.stepDone')}</Badge>}
          {isSkipped && !isDone && <Badge>{t('firstSteps.stepSkipped')}</Badge>}
        </div>
        {isOpen && <p className="mt-0.5 text-ink-soft">{t(TEXT[step].help)}</p>}
        {isOpen && step === 'assistant' && <Practice />}
        {isOpen && (
          <div className="mt-3 flex flex-wrap items-center gap-2">
            <StepActions step={step} />
            <Button kind="quiet" aria-label={t('firstSteps.skipNamed', { step: title })} onClick={onSkip}>
              {t('firstSteps.skip')}
            </Button>
          </div>
        )}
        {isSkipped && !isDone && (
          <button type="button" onClick={onResume} className="mt-1 font-medium text-accent underline">
            {t('firstSteps.resume')}
          </button>
        )}
      </div>
    </li>
  );
}

function StepActions({ step }: { step: Step }) {
  switch (step) {
    case 'channel':
      return (
        <ButtonLink kind="primary" to="/settings/channels/new">
          {t('channels.connect')}
        </ButtonLink>
      );
    case 'invite':
      return (
        <ButtonLink kind="primary" to="/settings/members">
          {t('firstSteps.inviteAction')}
        </ButtonLink>
      );
    case 'contacts':
      return (
        <ButtonLink kind="primary" to="/contacts/import">
          {t('firstSteps.contactsAction')}
        </ButtonLink>
      );
    case 'assistant':
      return <AssistantActions />;
  }
}

/** What the sandbox's model understands. */
function Practice() {
  return useSandboxUrl() && <p className="mt-1 text-ink-soft">{t('firstSteps.practice')}</p>;
}

/** Where a member can write as a customer: in the sandbox, or in the account's own web chat. */
function AssistantActions() {
  const sandboxUrl = useSandboxUrl();
  const connections = useQuery({ ...connectionsQuery, enabled: useIsAdmin() }).data;
  const chat = connections?.find(({ channel, status }) => channel === 'web_chat' && status === 'connected');
  return (
    <>
      {sandboxUrl && (
        <a href={sandboxUrl} target="_blank" rel="noreferrer" className={buttonLook('primary')}>
          {t('firstSteps.assistantAction')}
          <ExternalLink size={14} aria-hidden />
        </a>
      )}
      {chat && (
        <ButtonLink to="/settings/channels/$connectionId" params={{ connectionId: chat.id }}>
          {t('firstSteps.assistantChat')}
        </ButtonLink>
      )}
      <ButtonLink kind={sandboxUrl || chat ? 'secondary' : 'primary'} to="/assistants">
        {t('firstSteps.assistantEdit')}
      </ButtonLink>
    </>
  );
}
