/** An assistant as a member edits it: what differs from the stored one, and how it meets a colleague's change. Pure. */
import type { Assistant, AssistantPatch, AssistantTool, Instruction, ToolSettings } from '@/api/schema';

/** The fields that PATCH takes and the editor has; tools and instructions have routes of their own. */
export const PATCHED = [
  'name',
  'color',
  'enabled',
  'system_prompt',
  'model',
  'temperature',
  'history_limit',
  'targets',
  'schedule',
  'default_handoff_user_id',
  'handle_voice',
  'handle_images',
  'transcribe_media',
  'voice_replies',
  'voice_provider',
  'voice_id',
  'delegation',
] as const;
type Patched = Pick<Assistant, (typeof PATCHED)[number]>;

export interface ToolChoice {
  enabled: boolean;
  /** A person approves each use. */
  gated: boolean;
  /** It reaches the whole account also in a run that a customer's message started. */
  unconfined: boolean;
}

export interface Draft extends Patched {
  tools: Record<string, ToolChoice>;
  instruction_ids: string[];
}
export type DraftField = keyof Draft;
export const DRAFT_FIELDS: readonly DraftField[] = [...PATCHED, 'tools', 'instruction_ids'];

export function draftOf(
  assistant: Assistant,
  tools: readonly AssistantTool[],
  instructions: readonly Pick<Instruction, 'id'>[],
): Draft {
  const patched = Object.fromEntries(PATCHED.map((field) => [field, assistant[field]])) as unknown as Patched;
  return {
    ...patched,
    tools: Object.fromEntries(
      tools.map(({ id, enabled, gated, unconfined }) => [id, { enabled, gated, unconfined }]),
    ),
    instruction_ids: instructions.map(({ id }) => id),
  };
}

/** JSON with sorted keys: the order of keys is no difference. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

const filled = (text: string | null) => text?.trim() || null;
/** Fields in which nothing but spaces means nothing. */
const OPTIONAL_TEXTS = ['model', 'voice_provider', 'voice_id', 'color'] as const;

/** The order of channels is no difference either. */
function comparable(field: DraftField, draft: Draft): unknown {
  if (field === 'targets') return draft.targets.toSorted();
  const text = OPTIONAL_TEXTS.find((name) => name === field);
  return text ? filled(draft[text]) : draft[field];
}

function sameField(field: DraftField, a: Draft, b: Draft): boolean {
  return canonical(comparable(field, a)) === canonical(comparable(field, b));
}

export function changedFields(base: Draft, draft: Draft): DraftField[] {
  return DRAFT_FIELDS.filter((field) => !sameField(field, base, draft));
}

/**
 * Brings a draft to a newer stored version. Fields that the member has not touched are as stored now. A field that both have
 * changed keeps the member's version, and is named.
 */
export function rebase(base: Draft, stored: Draft, draft: Draft): { draft: Draft; conflicts: DraftField[] } {
  const mine = changedFields(base, draft);
  const conflicts = mine.filter(
    (field) => !sameField(field, base, stored) && !sameField(field, stored, draft),
  );
  const kept = Object.fromEntries(mine.map((field) => [field, draft[field]])) as Partial<Draft>;
  return { draft: { ...stored, ...kept }, conflicts };
}

/** The member's fields give way to the stored ones. */
export function takeStored(stored: Draft, draft: Draft, fields: readonly DraftField[]): Draft {
  return { ...draft, ...Object.fromEntries(fields.map((field) => [field, stored[field]])) };
}

/** The fields of PATCH as they are in the draft. */
export function draftPatch(draft: Draft): AssistantPatch {
  const patch = Object.fromEntries(PATCHED.map((field) => [field, draft[field]])) as unknown as Patched;
  for (const field of OPTIONAL_TEXTS) patch[field] = filled(draft[field]);
  return patch as AssistantPatch;
}

/** The body of PATCH: only what has changed, so that a colleague's other changes stay. */
export function patchOf(base: Draft, draft: Draft): AssistantPatch | null {
  const fields = changedFields(base, draft).filter(
    (field) => field in draft && PATCHED.includes(field as never),
  );
  if (fields.length === 0) return null;
  const patch = Object.fromEntries(fields.map((field) => [field, draft[field]]));
  for (const field of OPTIONAL_TEXTS) if (field in patch) patch[field] = filled(draft[field]);
  return patch as AssistantPatch;
}

/** The body of PUT …/tools: only tools that differ from their default are named. */
export function toolSettingsOf(draft: Draft, tools: readonly AssistantTool[]): ToolSettings {
  const choices = tools.flatMap((tool) => {
    const choice = draft.tools[tool.id];
    return choice ? [{ tool, choice }] : [];
  });
  const named = (isChosen: (each: (typeof choices)[number]) => boolean) =>
    choices.filter(isChosen).map(({ tool }) => tool.id);
  const differing = choices.filter(({ tool, choice }) => choice.enabled !== tool.default_enabled);
  return {
    tool_access: Object.fromEntries(differing.map(({ tool, choice }) => [tool.id, choice.enabled])),
    gated_tools: named(({ tool, choice }) => choice.gated && !tool.critical),
    unconfined_tools: named(({ tool, choice }) => choice.unconfined && tool.can_be_unconfined),
  } as ToolSettings;
}
