/** A chat with an assistant that is not saved: what is sent, and what comes back. Pure. */
import type { AssistantTool, TrialReply, TrialRequest } from '@/api/schema';
import { type Draft, draftPatch, toolSettingsOf } from './draft';

/** Messages that the server reads: the newest ones. */
const MESSAGES_MAX = 40;
export const MESSAGE_CHARACTERS_MAX = 4_000;

export interface CustomerTurn {
  from: 'customer';
  text: string;
}
export interface AssistantTurn {
  from: 'assistant';
  answer: TrialReply;
}
export type Turn = CustomerTurn | AssistantTurn;

/** The conversation as the assistant reads it. A turn in which it said nothing is left out. */
export function messagesOf(turns: readonly Turn[]): TrialRequest['messages'] {
  return turns
    .flatMap((turn): TrialRequest['messages'] => {
      if (turn.from === 'customer') return [turn];
      const { reply } = turn.answer;
      return reply ? [{ from: 'assistant', text: reply.slice(0, MESSAGE_CHARACTERS_MAX) }] : [];
    })
    .slice(-MESSAGES_MAX);
}

/** The request: the assistant as it is in the editor now. */
export function trialRequest(
  draft: Draft,
  tools: readonly AssistantTool[],
  turns: readonly Turn[],
): TrialRequest {
  const { tool_access, gated_tools } = toolSettingsOf(draft, tools);
  return {
    draft: { ...draftPatch(draft), tool_access, gated_tools },
    instruction_ids: draft.instruction_ids,
    messages: messagesOf(turns),
  };
}

interface ToolData {
  tool: string;
  arguments: unknown;
  content: string;
  is_error: boolean;
  simulated: boolean;
  gated: boolean;
}
interface ModelData {
  model: string;
  tokens_in: number | null;
  tokens_out: number | null;
  cost_usd: number;
  tools: string[];
}

export type TrialEntry =
  | ({ kind: 'model'; durationMs: number } & ModelData)
  | ({ kind: 'tool'; durationMs: number } & ToolData);

/** The steps of a reply as a person reads them. */
export function entriesOf({ steps }: TrialReply): TrialEntry[] {
  return steps.map(({ type, data, duration_ms: durationMs }) =>
    type === 'tool_called'
      ? { kind: 'tool', durationMs, ...(data as ToolData) }
      : { kind: 'model', durationMs, ...(data as ModelData) },
  );
}

/** What the whole chat has cost. */
export function costOf(turns: readonly Turn[]): number {
  return turns.reduce((sum, turn) => (turn.from === 'assistant' ? sum + turn.answer.cost_usd : sum), 0);
}
