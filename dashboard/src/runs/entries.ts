/** A run's steps as a person reads them: what belongs together is one entry. Pure. */
import type { RunEvent, RunEventType } from '@/api/schema';

export interface ModelEntry {
  kind: 'model';
  id: string;
  at: string;
  /** Since the step before: the call, and the time in the queue. */
  durationMs: number | null;
  model: string;
  text: string | null;
  tools: string[];
  tokensIn: number | null;
  tokensOut: number | null;
  costUsd: number | null;
  error: string | null;
  note: string | null;
}

export interface ToolEntry {
  kind: 'tool';
  id: string;
  at: string;
  tool: string;
  input: unknown;
  /** Null while it is at work. */
  result: string | null;
  isError: boolean;
  /** From the call to its result; null while it is at work, or if it was never carried out. */
  durationMs: number | null;
  /** Whether it was carried out: a declined tool was not. */
  wasUsed: boolean;
  subRunId: string | null;
}

export interface AskEntry {
  kind: 'ask';
  id: string;
  at: string;
  askId: string;
  tool: string | null;
  /** Null while it waits. */
  status: string | null;
  answer: string | null;
  answeredBy: string | null;
  durationMs: number | null;
}

export interface PlainEntry {
  kind: 'plain';
  id: string;
  at: string;
  type: RunEventType;
  words: string | null;
}

export type TimelineEntry = ModelEntry | ToolEntry | AskEntry | PlainEntry;

type Data = Record<string, unknown>;
const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
const number = (value: unknown) => (typeof value === 'number' ? value : null);
const between = (from: string, to: string) => Math.max(0, Date.parse(to) - Date.parse(from));

function modelEntry(step: RunEvent, before: RunEvent | undefined, data: Data): ModelEntry {
  return {
    kind: 'model',
    id: step.id,
    at: step.created_at,
    durationMs: number(data.duration_ms) ?? (before ? between(before.created_at, step.created_at) : null),
    model: text(data.model) ?? '',
    text: text(data.text),
    tools: Array.isArray(data.tools) ? data.tools.map(String) : [],
    tokensIn: number(data.tokens_in),
    tokensOut: number(data.tokens_out),
    costUsd: number(data.cost_usd),
    error: text(data.error),
    note: text(data.note),
  };
}

function toolEntry(step: RunEvent, data: Data, wasUsed: boolean): ToolEntry {
  return {
    kind: 'tool',
    id: step.id,
    at: step.created_at,
    tool: text(data.tool) ?? '',
    input: data.arguments ?? null,
    result: null,
    isError: false,
    durationMs: null,
    wasUsed,
    subRunId: null,
  };
}

/** Steps, oldest first, as entries, oldest first. */
export function toTimeline(steps: readonly RunEvent[]): TimelineEntry[] {
  const entries: TimelineEntry[] = [];
  const calls = new Map<string, ToolEntry>();
  const asks = new Map<string, AskEntry>();
  for (const [at, step] of steps.entries()) {
    const data = (step.data ?? {}) as Data;
    const callId = text(data.call_id) ?? '';
    switch (step.type) {
      case 'model_called':
        entries.push(modelEntry(step, steps[at - 1], data));
        break;
      case 'tool_called': {
        const entry = toolEntry(step, data, true);
        calls.set(callId, entry);
        entries.push(entry);
        break;
      }
      case 'tool_returned': {
        const known = calls.get(callId);
        const entry = known ?? toolEntry(step, data, false);
        entry.result = typeof data.content === 'string' ? data.content : JSON.stringify(data.content ?? null);
        entry.isError = data.is_error === true;
        if (known) entry.durationMs = between(known.at, step.created_at);
        else entries.push(entry);
        // A model may use the same id again in its next reply.
        calls.delete(callId);
        break;
      }
      case 'delegated': {
        const call = calls.get(callId);
        if (call) call.subRunId = text(data.run_id);
        else entries.push(plainEntry(step, data));
        break;
      }
      case 'ask_raised': {
        const entry: AskEntry = {
          kind: 'ask',
          id: step.id,
          at: step.created_at,
          askId: text(data.ask_id) ?? '',
          tool: text(data.tool),
          status: null,
          answer: null,
          answeredBy: null,
          durationMs: null,
        };
        asks.set(entry.askId, entry);
        entries.push(entry);
        break;
      }
      case 'ask_answered': {
        const entry = asks.get(text(data.ask_id) ?? '');
        if (!entry) break;
        entry.status = text(data.status);
        entry.answer = text(data.answer);
        entry.answeredBy = text(data.answered_by);
        entry.durationMs = between(entry.at, step.created_at);
        break;
      }
      default:
        entries.push(plainEntry(step, data));
    }
  }
  return entries;
}

function plainEntry(step: RunEvent, data: Data): PlainEntry {
  const words = text(data.result) ?? text(data.error) ?? text(data.message) ?? text(data.system);
  return { kind: 'plain', id: step.id, at: step.created_at, type: step.type, words };
}

/** A tool's result, readable: JSON is indented, everything else is as it is. */
export function readable(result: string): string {
  try {
    return JSON.stringify(JSON.parse(result), null, 2);
  } catch {
    return result;
  }
}
