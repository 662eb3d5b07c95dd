import { Bot, CircleHelp } from 'lucide-react';
import { useState } from 'react';
import type { Ask } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { relativeTime } from '@/i18n/time';
import { useAssistantName } from '@/session/assistants';
import { Time } from '@/ui/Time';
import { useNow } from '@/ui/useNow';
import { AskContext } from './AskContext';
import { AskDetails } from './AskDetails';
import { AskForm } from './AskForm';
import { AskOutcome, useAnswererName } from './AskOutcome';
import { isOfProgram, isOpen } from './asks';
import { useAnswer } from './useAnswer';

const MINUTE_MS = 60_000;

/** What an assistant or a program wants, in one line. */
export function useAskTitle(): (ask: Ask) => string {
  const nameOf = useAssistantName();
  return (ask) => {
    const name = isOfProgram(ask) ? t('asks.program') : nameOf(ask.assistant_id);
    return ask.tool ? t('asks.wants', { name, tool: tDynamic('tool', ask.tool) }) : t('asks.asks', { name });
  };
}

export function AskIcon({ ask }: { ask: Ask }) {
  const Icon = ask.kind === 'question' ? CircleHelp : Bot;
  return (
    <span className="inline-flex size-9 shrink-0 items-center justify-center rounded-full bg-badge text-badge-ink">
      <Icon size={18} aria-hidden />
    </span>
  );
}

interface CardProps {
  ask: Ask;
  takesKeys: boolean;
  /** Inside a conversation it is plain whom it is about. */
  withContext: boolean;
  onDone?: () => void;
}

/** An ask with everything that a person needs to decide, and the means to do so. */
export function AskBody({ ask, takesKeys, withContext, onDone }: CardProps) {
  const [text, setText] = useState('');
  const answering = useAnswer(ask, () => onDone?.());
  // Read before somebody answers, so that the name is there when they do.
  const answererName = useAnswererName();
  const open = isOpen(ask);
  return (
    <div className="flex flex-col gap-3">
      {(!ask.tool || isOfProgram(ask)) && (
        <p dir="auto" className="text-base break-words whitespace-pre-wrap">
          {ask.prompt}
        </p>
      )}
      <AskDetails ask={ask} />
      {withContext && <AskContext ask={ask} />}
      {open ? (
        <>
          <AskForm ask={ask} answering={answering} takesKeys={takesKeys} text={text} onText={setText} />
          <Expiry at={ask.expires_at} />
        </>
      ) : (
        <Settled ask={ask} answerer={answererName(ask)} wasLate={answering.wasLate} unsent={text.trim()} />
      )}
    </div>
  );
}

interface SettledProps {
  ask: Ask;
  answerer: string;
  wasLate: boolean;
  /** What this member has typed. */
  unsent: string;
}

/** Says who was first when this member's answer came too late, and shows what was not sent. */
function Settled({ ask, answerer, wasLate, unsent }: SettledProps) {
  const lost = unsent !== '' && unsent !== ask.answer;
  return (
    <div className="flex flex-col gap-2">
      {wasLate && (
        <p role="alert" className="rounded-lg bg-warning-soft px-3 py-2 font-medium text-warning">
          {ask.answered_at ? t('asks.first', { name: answerer }) : t('asks.over')}
        </p>
      )}
      <div role="status">
        <AskOutcome ask={ask} />
      </div>
      {lost && (
        <p dir="auto" className="break-words whitespace-pre-wrap text-ink-soft">
          {t('asks.notSent')} “{unsent}”
        </p>
      )}
    </div>
  );
}

function Expiry({ at }: { at: string }) {
  const now = useNow(MINUTE_MS);
  return <p className="text-sm text-ink-soft">{t('asks.expires', { when: relativeTime(at, now) })}</p>;
}

/** An ask on its own: in a conversation, or on the page of its run. */
export function AskCard(props: CardProps) {
  const { ask } = props;
  const title = useAskTitle()(ask);
  return (
    <article
      aria-label={title}
      className="rounded-xl border border-line bg-surface p-3 shadow-[inset_3px_0_0_var(--color-badge-ink)]"
    >
      <header className="mb-2 flex items-center gap-2.5">
        <AskIcon ask={ask} />
        <h3 className="min-w-0 flex-1 font-semibold">{title}</h3>
        <span className="text-sm text-ink-soft">
          <Time at={ask.created_at} style="relative" />
        </span>
      </header>
      <AskBody {...props} />
    </article>
  );
}
