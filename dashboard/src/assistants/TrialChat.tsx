import { useMutation } from '@tanstack/react-query';
import { RotateCcw, SendHorizontal, Sparkles, Wrench } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { call } from '@/api/client';
import { describeError } from '@/api/describe';
import { ApiError } from '@/api/errors';
import type { AssistantTool, TrialReply } from '@/api/schema';
import { locale, t, tDynamic } from '@/i18n';
import { cost, duration } from '@/i18n/quantities';
import { Button, IconButton } from '@/ui/Button';
import { TextArea } from '@/ui/Field';
import { Section } from '@/ui/Page';
import { Spinner } from '@/ui/Spinner';
import { Badge } from '@/ui/Tag';
import type { Draft } from './draft';
import { costOf, entriesOf, MESSAGE_CHARACTERS_MAX, type TrialEntry, type Turn, trialRequest } from './trial';

interface TrialProps {
  assistantId: string;
  draft: Draft;
  tools: readonly AssistantTool[];
}

/** A chat with the assistant as it is in the editor, saved or not. Nothing is changed and nobody gets a message. */
export function TrialChat({ assistantId, draft, tools }: TrialProps) {
  const [turns, setTurns] = useState<Turn[]>([]);
  const [text, setText] = useState('');
  const end = useRef<HTMLDivElement>(null);
  const ask = useMutation({
    mutationFn: async (said: Turn[]) =>
      (
        await call('POST /app/api/assistants/{id}/trial', {
          path: { id: assistantId },
          body: trialRequest(draft, tools, said),
        })
      ).data,
    onSuccess: (answer, said) => setTurns([...said, { from: 'assistant', answer }]),
  });
  const { isPending } = ask;
  useEffect(() => {
    if (turns.length > 0 || isPending) end.current?.scrollIntoView({ block: 'nearest' });
  }, [turns.length, isPending]);
  const send = (event?: FormEvent) => {
    event?.preventDefault();
    if (isPending || text.trim() === '') return;
    const said: Turn[] = [...turns, { from: 'customer', text: text.trim() }];
    setTurns(said);
    setText('');
    ask.mutate(said);
  };
  const total = costOf(turns);
  return (
    <div id="trial" className="scroll-mt-4">
      <Section
        title={t('trial.title')}
        actions={
          turns.length > 0 && (
            <IconButton
              label={t('trial.clear')}
              icon={<RotateCcw size={16} aria-hidden />}
              onClick={() => {
                setTurns([]);
                ask.reset();
              }}
            />
          )
        }
      >
        <p className="mb-3 text-sm text-ink-soft">{t('trial.help')}</p>
        <ol
          aria-label={t('trial.conversation')}
          aria-live="polite"
          className="flex max-h-[50dvh] flex-col gap-3 overflow-auto empty:hidden"
        >
          {turns.map((turn, index) => (
            <li key={index}>
              {turn.from === 'customer' ? <Bubble own>{turn.text}</Bubble> : <Answer answer={turn.answer} />}
            </li>
          ))}
          {isPending && (
            <li className="flex items-center gap-2 text-ink-soft">
              <Spinner /> {t('trial.thinking')}
            </li>
          )}
        </ol>
        <div ref={end} />
        {ask.isError && (
          <div role="alert" className="mt-3 rounded-lg bg-danger-soft p-3">
            <p className="break-words">{problem(ask.error)}</p>
            <Button className="mt-2" onClick={() => ask.mutate(turns)}>
              {t('ui.tryAgain')}
            </Button>
          </div>
        )}
        <form onSubmit={send} className="mt-3 flex items-end gap-2">
          <div className="min-w-0 flex-1">
            <TextArea
              label={t('trial.message')}
              rows={2}
              value={text}
              maxLength={MESSAGE_CHARACTERS_MAX}
              onChange={(event) => setText(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
                  event.preventDefault();
                  send();
                }
              }}
            />
          </div>
          <IconButton
            label={t('trial.send')}
            icon={<SendHorizontal size={18} aria-hidden />}
            disabled={isPending || text.trim() === ''}
            onClick={() => send()}
          />
        </form>
        {total > 0 && (
          <p className="mt-2 text-sm text-ink-soft tabular-nums">{t('trial.total', { cost: cost(total) })}</p>
        )}
      </Section>
    </div>
  );
}

/** A model's failure is told in the provider's words: they say what to correct. */
function problem(error: unknown): string {
  return error instanceof ApiError && error.reason === 'model_failed' ? error.message : describeError(error);
}

function Bubble({ own = false, children }: { own?: boolean; children: string }) {
  return (
    <p
      dir="auto"
      className={`w-fit max-w-[85%] rounded-xl px-3 py-2 break-words whitespace-pre-wrap ${own ? 'ms-auto bg-bubble' : 'bg-sunken'}`}
    >
      {children}
    </p>
  );
}

function Answer({ answer }: { answer: TrialReply }) {
  const entries = entriesOf(answer);
  return (
    <div className="flex flex-col gap-1.5">
      <ul className="flex flex-col gap-1 empty:hidden">
        {entries.map((entry, index) => (
          <li key={index}>
            <Step entry={entry} />
          </li>
        ))}
      </ul>
      {answer.reply && <Bubble>{answer.reply}</Bubble>}
      {!answer.reply && !answer.error && <p className="text-ink-soft italic">{t('trial.handedOff')}</p>}
      {answer.error && <p className="break-words text-danger">{answer.error}</p>}
      <p className="text-xs text-ink-soft tabular-nums">
        {t('run.tokensInOut', {
          tokensIn: answer.tokens_in.toLocaleString(locale()),
          tokensOut: answer.tokens_out.toLocaleString(locale()),
        })}
        {' · '}
        {cost(answer.cost_usd)}
      </p>
    </div>
  );
}

function Step({ entry }: { entry: TrialEntry }) {
  if (entry.kind === 'model')
    return (
      <p className="flex flex-wrap items-center gap-x-2 text-sm text-ink-soft">
        <Sparkles size={14} aria-hidden />
        <span className="min-w-0 flex-1 truncate">
          {t('runStep.model_called')} {entry.model}
        </span>
        <span className="tabular-nums">
          {cost(entry.cost_usd)} · {duration(entry.durationMs)}
        </span>
      </p>
    );
  return (
    <details className="rounded-lg bg-sunken px-2.5 py-1.5 text-sm">
      <summary className="flex cursor-pointer flex-wrap items-center gap-x-2">
        <Wrench size={14} aria-hidden />
        <span className="min-w-0 flex-1 truncate font-medium">{tDynamic('tool', entry.tool)}</span>
        {entry.gated && <Badge tone="warning">{t('trial.gated')}</Badge>}
        {entry.simulated && <Badge>{t('trial.simulated')}</Badge>}
        {entry.is_error && <Badge tone="danger">{t('run.failedTool')}</Badge>}
      </summary>
      <Code label={t('run.input')}>{JSON.stringify(entry.arguments, null, 2)}</Code>
      <Code label={t('run.output')}>{readable(entry.content)}</Code>
    </details>
  );
}

function Code({ label, children }: { label: string; children: string }) {
  return (
    <div className="mt-1.5">
      <p className="text-xs text-ink-soft">{label}</p>
      <pre dir="ltr" className="max-h-48 overflow-auto text-xs break-words whitespace-pre-wrap">
        {children}
      </pre>
    </div>
  );
}

function readable(content: string): string {
  try {
    return JSON.stringify(JSON.parse(content), null, 2);
  } catch {
    return content;
  }
}
