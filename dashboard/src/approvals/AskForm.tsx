import { Check, CornerDownLeft, X } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { Ask } from '@/api/schema';
import { useCommands } from '@/commands/commands';
import { KeyCaps } from '@/commands/KeyCaps';
import { matches } from '@/commands/keys';
import { KEYS } from '@/commands/shortcuts';
import { t } from '@/i18n';
import { useCan } from '@/session/session';
import { Button } from '@/ui/Button';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextArea } from '@/ui/Field';
import { mayApprove } from './asks';
import type { Answering } from './useAnswer';

export const ANSWER_CHARS_MAX = 4_000;

interface FormProps {
  ask: Ask;
  answering: Answering;
  /** Whether the keys are for this ask: there may be several on the page. */
  takesKeys: boolean;
  text: string;
  onText: (text: string) => void;
}

/** Approve, decline with a note, or answer. Each has a key, which works for one ask of the page at a time. */
export function AskForm({ ask, answering, takesKeys, text, onText }: FormProps) {
  const isQuestion = ask.kind === 'question';
  const can = useCan();
  const may = can('asks:answer');
  const [declining, setDeclining] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const { give, busy, error } = answering;
  const isForbidden = answering.isForbidden || (!isQuestion && !mayApprove(ask, can));
  const focusText = () => form.current?.querySelector('textarea')?.focus();
  const startDeclining = () => {
    setDeclining(true);
    focusText();
  };
  useEffect(() => {
    if (declining) form.current?.querySelector('textarea')?.focus();
  }, [declining]);
  const approve = () => {
    if (!busy && !isForbidden) give({ decision: 'approve' });
  };
  const key = (id: string, label: string, shortcut: string, run: () => void) => ({
    id: `asks.${id}`,
    group: t('nav.approvals'),
    label,
    shortcut,
    once: true,
    run,
  });
  const commands = [
    isQuestion
      ? key('answer', t('asks.answer'), KEYS.answerAsk, focusText)
      : key('approve', t('asks.approve'), KEYS.approve, approve),
    key('decline', t('asks.decline'), KEYS.decline, startDeclining),
  ];
  useCommands(takesKeys && may ? commands : []);
  if (!may) return <p className="text-ink-soft">{t('asks.waitsForAdmin')}</p>;

  const words = text.trim();
  const decline = () => give({ decision: 'decline', ...(words && { note: words }) });
  const canSend = !busy && (declining || words !== '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!canSend) return;
    if (declining) decline();
    else give({ answer: words });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (matches(KEYS.send, event.nativeEvent)) form.current?.requestSubmit();
    else if (event.key === 'Escape') {
      setDeclining(false);
      (event.target as HTMLElement).blur();
    } else return;
    event.preventDefault();
  };
  const caps = (shortcut: string) =>
    takesKeys && (
      <span className="pointer-coarse:hidden">
        <KeyCaps shortcut={shortcut} />
      </span>
    );
  return (
    <form ref={form} onSubmit={submit} className="flex flex-col gap-2">
      {(isQuestion || declining) && (
        <TextArea
          label={declining ? t('asks.note') : t('asks.yourAnswer')}
          hint={declining ? t('asks.noteHint') : undefined}
          rows={2}
          maxLength={ANSWER_CHARS_MAX}
          value={text}
          onChange={(event) => onText(event.target.value)}
          onKeyDown={onKeyDown}
        />
      )}
      {isForbidden ? (
        <p role="status" className="rounded-lg bg-warning-soft px-3 py-2 text-warning">
          {t('asks.forbidden')}
        </p>
      ) : (
        error !== null && <ErrorNotice error={error} />
      )}
      <div className="flex flex-wrap gap-2">
        {declining ? (
          <>
            <Button type="submit" kind="danger" busy={busy} icon={<X size={16} aria-hidden />}>
              {t('asks.decline')}
              {caps(KEYS.send)}
            </Button>
            <Button onClick={() => setDeclining(false)}>{t('ui.cancel')}</Button>
          </>
        ) : (
          <>
            {isQuestion ? (
              <Button
                type="submit"
                kind="primary"
                busy={busy}
                disabled={!canSend}
                aria-keyshortcuts={KEYS.answerAsk}
                icon={<CornerDownLeft size={16} aria-hidden />}
              >
                {t('asks.sendAnswer')}
                {caps(KEYS.send)}
              </Button>
            ) : (
              !isForbidden && (
                <Button
                  kind="primary"
                  busy={busy}
                  onClick={approve}
                  aria-keyshortcuts={KEYS.approve}
                  icon={<Check size={16} aria-hidden />}
                >
                  {t('asks.approve')}
                  {caps(KEYS.approve)}
                </Button>
              )
            )}
            <Button
              disabled={busy}
              onClick={startDeclining}
              aria-keyshortcuts={KEYS.decline}
              icon={<X size={16} aria-hidden />}
            >
              {t('asks.decline')}
              {caps(KEYS.decline)}
            </Button>
          </>
        )}
      </div>
    </form>
  );
}
