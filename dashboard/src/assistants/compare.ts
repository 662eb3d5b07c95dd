/** Versions of an assistant beside each other: which lines of which fields differ. Pure. */
import type { AssistantTool, AssistantVersionDetail, Delegation, Schedule } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { cost } from '@/i18n/quantities';
import { type Draft, type DraftField, draftOf } from './draft';
import { DAYS, hoursOf } from './hours';

export interface Line {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/** Lines of two texts that are compared one by one. Beyond that, the differing part is replaced as a whole. */
const COMPARED_LINES_MAX = 600;

/** The lines of two texts, in order: those that only the first has, only the second, or both. */
export function diffLines(before: string, after: string): Line[] {
  const a = before.split('\n');
  const b = after.split('\n');
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const same = (text: string): Line => ({ kind: 'same', text });
  return [
    ...a.slice(0, start).map(same),
    ...diffMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ];
}

function diffMiddle(a: string[], b: string[]): Line[] {
  if (a.length > COMPARED_LINES_MAX || b.length > COMPARED_LINES_MAX)
    return [
      ...a.map((text): Line => ({ kind: 'removed', text })),
      ...b.map((text): Line => ({ kind: 'added', text })),
    ];
  // The longest common part from each place on.
  const longest = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const at = (i: number, j: number) => longest[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const row = longest[i];
      if (row) row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i] ?? '' });
      i += 1;
      j += 1;
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: 'removed', text: a[i] ?? '' });
      i += 1;
    } else {
      lines.push({ kind: 'added', text: b[j] ?? '' });
      j += 1;
    }
  }
  return lines;
}

/** The assistant of a version as the editor would show it. */
export function draftOfVersion(version: AssistantVersionDetail, tools: readonly AssistantTool[]): Draft {
  const { assistant, unconfined_tools: unconfined, instruction_ids: ids } = version;
  const had = tools.map((tool) => ({
    ...tool,
    enabled: assistant.tool_access[tool.id] ?? tool.default_enabled,
    gated: tool.critical || assistant.gated_tools.includes(tool.id),
    unconfined: unconfined.includes(tool.id),
  }));
  return draftOf(
    assistant,
    had,
    ids.map((id) => ({ id })),
  );
}

export interface Names {
  member: (id: string) => string;
  instruction: (id: string) => string;
}

const yesNo = (value: boolean) => (value ? t('assistants.on') : t('assistants.off'));

/** A field's value in lines, so that what differs in it can be shown. */
export function fieldText(field: DraftField, draft: Draft, names: Names): string {
  if (field === 'schedule') return scheduleLines(draft.schedule).join('\n');
  if (field === 'delegation') return delegationLines(draft.delegation).join('\n');
  const value = draft[field];
  if (field === 'tools') return toolLines(draft).join('\n');
  if (field === 'instruction_ids') return draft.instruction_ids.map(names.instruction).join('\n');
  if (field === 'default_handoff_user_id')
    return draft.default_handoff_user_id ? names.member(draft.default_handoff_user_id) : '–';
  if (field === 'targets') return draft.targets.toSorted().join('\n') || '–';
  if (typeof value === 'boolean') return yesNo(value);
  if (value === null || value === '') return '–';
  return String(value);
}

/** When it answers: with hours of its own, a line for each day. */
function scheduleLines(schedule: Schedule): string[] {
  const mode = tDynamic('scheduleMode', schedule.mode);
  if (schedule.mode !== 'custom_hours') return [mode];
  const hours = hoursOf(schedule);
  const spans = DAYS.map((day) => (hours[day] ?? []).map(([from, to]) => `${from}–${to}`).join(', '));
  return [
    mode,
    ...DAYS.map((day, at) => `${tDynamic('weekday', day)}: ${spans[at] || t('assistants.closed')}`),
  ];
}

function delegationLines({ enabled, max_children_per_run, max_cost_usd, allowed_tools }: Delegation) {
  const tools = allowed_tools?.map((id) => tDynamic('tool', id)).toSorted();
  return [
    `${t('delegation.enabled')}: ${yesNo(enabled)}`,
    `${t('delegation.children')}: ${max_children_per_run}`,
    `${t('delegation.cost')}: ${max_cost_usd === null ? '–' : cost(max_cost_usd)}`,
    `${t('delegation.tools')}: ${tools ? tools.join(', ') || '–' : t('delegation.anyTool')}`,
  ];
}

function toolLines({ tools }: Draft): string[] {
  return Object.entries(tools)
    .map(([id, { enabled, gated, unconfined }]) => {
      const words = [
        yesNo(enabled),
        gated && t('versions.toolGated'),
        unconfined && t('versions.toolUnconfined'),
      ];
      return `${tDynamic('tool', id)}: ${words.filter(Boolean).join(', ')}`;
    })
    .toSorted();
}
