import { Link } from '@tanstack/react-router';
import {
  Ban,
  Brain,
  CircleAlert,
  CircleCheck,
  Flag,
  GitFork,
  Hand,
  type LucideIcon,
  MessageCircle,
  Play,
  Sparkles,
  Wrench,
} from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import type { Run, RunEvent, RunEventType } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { locale } from '@/i18n/index';
import { cost, duration } from '@/i18n/quantities';
import { clockTime, fullTime } from '@/i18n/time';
import { useMemberName } from '@/session/members';
import { Spinner } from '@/ui/Spinner';
import { Badge } from '@/ui/Tag';
import { useNow } from '@/ui/useNow';
import {
  type AskEntry,
  type ModelEntry,
  type PlainEntry,
  readable,
  type TimelineEntry,
  type ToolEntry,
  toTimeline,
} from './entries';
import { isActive } from './list';

const TICK_MS = 1_000;
const ICONS: Partial<Record<RunEventType, LucideIcon>> = {
  started: Play,
  message_sent: MessageCircle,
  memory_written: Brain,
  delegated: GitFork,
  handed_off: Hand,
  finished: CircleCheck,
  failed: CircleAlert,
  cancelled: Ban,
};

/** Every step of a run, the oldest first. New ones appear at the end, and are read out. */
export function Timeline({ run, steps }: { run: Run; steps: readonly RunEvent[] }) {
  const entries = useMemo(() => toTimeline(steps), [steps]);
  const last = entries.at(-1);
  const busy = last?.kind === 'tool' && last.result === null;
  return (
    <ol aria-live="polite" aria-relevant="additions" className="flex flex-col">
      {entries.map((entry) => (
        <EntryOf key={entry.id} entry={entry} run={run} />
      ))}
      {isActive(run) && run.status !== 'waiting' && !busy && (
        <li className="flex items-center gap-3 py-2 text-ink-soft">
          <span className="flex w-8 justify-center">
            <Spinner />
          </span>
          {run.status === 'queued' ? t('run.queued') : t('run.thinking')}
        </li>
      )}
    </ol>
  );
}

function EntryOf({ entry, run }: { entry: TimelineEntry; run: Run }) {
  switch (entry.kind) {
    case 'model':
      return <ModelStep entry={entry} />;
    case 'tool':
      return <ToolStep entry={entry} ended={!isActive(run)} />;
    case 'ask':
      return <AskStep entry={entry} />;
    default:
      return <PlainStep entry={entry} run={run} />;
  }
}

interface StepProps {
  icon: LucideIcon;
  tone?: 'danger' | 'success' | undefined;
  title: ReactNode;
  /** Duration and cost, in short. */
  facts?: ReadonlyArray<string | null>;
  at: string;
  children?: ReactNode;
}

const TONES = { danger: 'bg-danger-soft text-danger', success: 'bg-accent-soft text-success' } as const;

function Step({ icon: Icon, tone, title, facts = [], at, children }: StepProps) {
  return (
    <li className="relative flex gap-3 pb-4 last:pb-0 before:absolute before:start-4 before:top-8 before:bottom-0 before:w-px before:bg-line last:before:hidden">
      <span
        className={`z-1 inline-flex size-8 shrink-0 items-center justify-center rounded-full ${tone ? TONES[tone] : 'bg-sunken text-ink-soft'}`}
      >
        <Icon size={16} aria-hidden />
      </span>
      <div className="min-w-0 flex-1 pt-1">
        <div className="flex flex-wrap items-baseline gap-x-3">
          <span className="min-w-40 flex-1 font-medium">{title}</span>
          <span className="text-sm text-ink-soft tabular-nums">{facts.filter(Boolean).join(' · ')}</span>
          <time dateTime={at} title={fullTime(at)} className="text-sm text-ink-soft tabular-nums">
            {clockTime(at)}
          </time>
        </div>
        {children}
      </div>
    </li>
  );
}

function Words({ children }: { children: string }) {
  return (
    <p dir="auto" className="mt-1 break-words whitespace-pre-wrap text-ink-soft">
      {children}
    </p>
  );
}

function Code({ label, children }: { label: string; children: string }) {
  return (
    <details className="mt-1">
      <summary className="w-fit cursor-pointer text-sm text-ink-soft hover:text-ink">{label}</summary>
      <pre
        dir="ltr"
        className="mt-1 max-h-80 overflow-auto rounded-lg bg-sunken p-2.5 text-xs break-words whitespace-pre-wrap"
      >
        {children}
      </pre>
    </details>
  );
}

function ModelStep({ entry }: { entry: ModelEntry }) {
  const { model, durationMs, costUsd, tokensIn, tokensOut, tools, error } = entry;
  const tokens =
    tokensIn !== null && tokensOut !== null
      ? t('run.tokensInOut', {
          tokensIn: tokensIn.toLocaleString(locale()),
          tokensOut: tokensOut.toLocaleString(locale()),
        })
      : null;
  return (
    <Step
      icon={Sparkles}
      tone={error ? 'danger' : undefined}
      title={
        <>
          {t('runStep.model_called')} <span className="font-normal text-ink-soft">{model}</span>
        </>
      }
      facts={[
        tokens,
        costUsd === null ? null : cost(costUsd),
        durationMs === null ? null : duration(durationMs),
      ]}
      at={entry.at}
    >
      {entry.text && <Words>{entry.text}</Words>}
      {tools.length > 0 && (
        <Words>
          {t('run.wantsTools', { tools: tools.map((tool) => tDynamic('tool', tool)).join(', ') })}
        </Words>
      )}
      {error && <p className="mt-1 break-words text-danger">{error}</p>}
      {entry.note && <Words>{entry.note}</Words>}
    </Step>
  );
}

function ToolStep({ entry, ended }: { entry: ToolEntry; ended: boolean }) {
  const { tool, input, result, isError, durationMs, wasUsed, subRunId } = entry;
  const isBusy = result === null && !ended;
  const hasInput = input !== null && Object.keys(input as object).length > 0;
  return (
    <Step
      icon={Wrench}
      tone={isError && wasUsed ? 'danger' : undefined}
      title={
        <span className="inline-flex flex-wrap items-center gap-2">
          {tDynamic('tool', tool)}
          {!wasUsed && <Badge>{t('run.notUsed')}</Badge>}
          {wasUsed && isError && <Badge tone="danger">{t('run.failedTool')}</Badge>}
        </span>
      }
      facts={[durationMs === null ? null : duration(durationMs)]}
      at={entry.at}
    >
      {wasUsed && hasInput && <Code label={t('run.input')}>{JSON.stringify(input, null, 2)}</Code>}
      {result !== null && <Code label={t('run.output')}>{readable(result)}</Code>}
      {isBusy && <Busy since={entry.at} />}
      {subRunId && (
        <Link to="/runs/$runId" params={{ runId: subRunId }} className="font-medium text-accent underline">
          {t('run.subRun')}
        </Link>
      )}
    </Step>
  );
}

function Busy({ since }: { since: string }) {
  const now = useNow(TICK_MS);
  return (
    <p className="mt-1 flex items-center gap-1.5 text-sm text-ink-soft">
      <Spinner /> {t('run.atWork')} {duration(Math.max(0, now - Date.parse(since)))}
    </p>
  );
}

function AskStep({ entry }: { entry: AskEntry }) {
  const memberName = useMemberName();
  const { status, answer, answeredBy, tool, durationMs } = entry;
  return (
    <Step
      icon={Hand}
      title={
        <>
          {t('runStep.ask_raised')}
          {tool && <span className="font-normal text-ink-soft"> {tDynamic('tool', tool)}</span>}
        </>
      }
      facts={[durationMs === null ? null : duration(durationMs)]}
      at={entry.at}
    >
      <Words>
        {status
          ? [tDynamic('askStatus', status), answeredBy && memberName(answeredBy), answer && `“${answer}”`]
              .filter(Boolean)
              .join(' · ')
          : t('run.askWaits')}
      </Words>
    </Step>
  );
}

function PlainStep({ entry, run }: { entry: PlainEntry; run: Run }) {
  const tone = entry.type === 'failed' ? 'danger' : entry.type === 'finished' ? 'success' : undefined;
  return (
    <Step icon={ICONS[entry.type] ?? Flag} tone={tone} title={tDynamic('runStep', entry.type)} at={entry.at}>
      {entry.type === 'started' && (
        <>
          <Words>{run.goal}</Words>
          {entry.words && <Code label={t('run.prompt')}>{entry.words}</Code>}
        </>
      )}
      {entry.type !== 'started' && entry.words && <Words>{entry.words}</Words>}
      {entry.type === 'message_sent' && run.conversation_id && (
        <Link
          to="/inbox/$conversationId"
          params={{ conversationId: run.conversation_id }}
          className="font-medium text-accent underline"
        >
          {t('run.openConversation')}
        </Link>
      )}
    </Step>
  );
}
