/** A trigger as the editor has it. Fields of other kinds are remembered while the member looks around, and not saved. */
import type {
  AudienceType,
  NewTrigger,
  Trigger,
  TriggerDraft,
  TriggerEvent,
  TriggerKind,
  TriggerPeriod,
} from '@/api/schema';
import { inputOfMoment, momentOfInput } from './schedule';

export const KINDS: readonly TriggerKind[] = ['recurring', 'once', 'event', 'webhook'];
export const PERIODS: readonly TriggerPeriod[] = ['daily', 'weekly', 'monthly'];
export const EVENTS: readonly TriggerEvent[] = ['contact.created', 'deal.stage_changed', 'booking.completed'];
export const AUDIENCES: readonly AudienceType[] = ['none', 'contact', 'segment'];
export const TARGETS_MAX = 500;
const TARGETS_USUAL = 50;

export interface Draft {
  name: string;
  assistantId: string;
  goal: string;
  kind: TriggerKind;
  period: TriggerPeriod;
  time: string;
  dayOfWeek: number;
  dayOfMonth: number;
  /** In the account's timezone, such as 2026-01-31T09:30. */
  runAt: string;
  eventKey: TriggerEvent;
  audience: AudienceType;
  contactId: string | null;
  segmentId: string | null;
  maxTargets: number;
  quietHours: boolean;
  enabled: boolean;
}

export function emptyDraft(assistantId: string): Draft {
  return {
    name: '',
    assistantId,
    goal: '',
    kind: 'recurring',
    period: 'weekly',
    time: '09:00',
    dayOfWeek: 1,
    dayOfMonth: 1,
    runAt: '',
    eventKey: 'contact.created',
    audience: 'none',
    contactId: null,
    segmentId: null,
    maxTargets: TARGETS_USUAL,
    quietHours: true,
    enabled: false,
  };
}

export function draftOf(trigger: Trigger, zone: string): Draft {
  const empty = emptyDraft(trigger.assistant_id);
  return {
    name: trigger.name,
    assistantId: trigger.assistant_id,
    goal: trigger.goal,
    kind: trigger.kind,
    period: trigger.period ?? empty.period,
    time: trigger.send_time ?? empty.time,
    dayOfWeek: trigger.day_of_week ?? empty.dayOfWeek,
    dayOfMonth: trigger.day_of_month ?? empty.dayOfMonth,
    runAt: trigger.run_at === null ? '' : inputOfMoment(Date.parse(trigger.run_at), zone),
    eventKey: trigger.event_key ?? empty.eventKey,
    audience: trigger.audience_type,
    contactId: trigger.contact_id,
    segmentId: trigger.segment_id,
    maxTargets: trigger.max_targets,
    quietHours: trigger.respect_quiet_hours,
    enabled: trigger.enabled,
  };
}

/** Whether the kind acts on contacts that the trigger names: the others act on the contact of the event or the call. */
export function hasAudience({ kind }: Draft): boolean {
  return kind === 'recurring' || kind === 'once';
}

export function bodyOf(draft: Draft, zone: string) {
  const { kind, period } = draft;
  const recurring = kind === 'recurring';
  const runAt = kind === 'once' ? momentOfInput(draft.runAt, zone) : undefined;
  const audience = hasAudience(draft) ? draft.audience : 'none';
  return {
    name: draft.name.trim(),
    assistant_id: draft.assistantId,
    goal: draft.goal.trim(),
    kind,
    period: recurring ? period : null,
    send_time: recurring ? draft.time : null,
    day_of_week: recurring && period === 'weekly' ? draft.dayOfWeek : null,
    day_of_month: recurring && period === 'monthly' ? draft.dayOfMonth : null,
    run_at: runAt === undefined ? null : new Date(runAt).toISOString(),
    event_key: kind === 'event' ? draft.eventKey : null,
    audience_type: audience,
    contact_id: audience === 'contact' ? draft.contactId : null,
    segment_id: audience === 'segment' ? draft.segmentId : null,
    max_targets: draft.maxTargets,
    respect_quiet_hours: draft.quietHours,
    enabled: draft.enabled,
  } satisfies NewTrigger;
}

/** Whether it can be saved. */
export function isComplete(draft: Draft): boolean {
  return draft.name.trim() !== '' && draft.goal.trim() !== '' && canPreview(draft);
}

/** What it would do, for the server to say; null while something of that is missing. */
export function previewBodyOf(draft: Draft, zone: string): TriggerDraft | null {
  if (!canPreview(draft)) return null;
  // Whether it is on does not change whom it would affect.
  const { name: _name, goal: _goal, enabled: _enabled, ...body } = bodyOf(draft, zone);
  return body;
}

/** Whether it says when it fires and whom it affects. */
function canPreview(draft: Draft): boolean {
  const timed =
    (draft.kind !== 'recurring' || draft.time !== '') && (draft.kind !== 'once' || draft.runAt !== '');
  const aimed =
    !hasAudience(draft) ||
    draft.audience === 'none' ||
    (draft.audience === 'contact' ? draft.contactId : draft.segmentId) !== null;
  return draft.assistantId !== '' && timed && aimed;
}

export function isSame(a: Draft, b: Draft): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
