/** A segment's rules while they are built by clicking: which operators a field has, and what a value is. Pure. */
import type { CustomField, Op, Rule, RuleInput } from '@/api/schema';

export type ValueKind =
  | 'none'
  | 'text'
  | 'number'
  | 'date'
  | 'days'
  | 'boolean'
  | 'tag'
  | 'channel'
  | 'option';

export interface DraftRule {
  /** Only for React's list. */
  key: string;
  field: string;
  op: Op;
  value: string;
}

export const DAYS_MAX = 36_500;

const TEXT_OPS: readonly Op[] = ['is', 'is_not', 'contains', 'starts_with', 'is_set', 'is_not_set'];
const TIME_OPS: readonly Op[] = ['within_days', 'before', 'after'];
const CHOICE_OPS: readonly Op[] = ['is', 'is_not'];

export const FIELDS = [
  'name',
  'phone',
  'email',
  'company',
  'tag',
  'created_at',
  'last_inbound_at',
  'channel',
  'opted_out',
] as const;

function customField(field: string, fields: readonly CustomField[]): CustomField | undefined {
  return fields.find((candidate) => field === `custom_field:${candidate.id}`);
}

export function opsOf(field: string, fields: readonly CustomField[]): readonly Op[] {
  switch (field) {
    case 'tag':
      return ['is', 'is_not', 'is_set', 'is_not_set'];
    case 'channel':
      return CHOICE_OPS;
    case 'opted_out':
      return ['is'];
    case 'created_at':
      return TIME_OPS;
    case 'last_inbound_at':
      return [...TIME_OPS, 'is_set', 'is_not_set'];
  }
  switch (customField(field, fields)?.type) {
    case 'date':
      return ['is', 'is_not', 'before', 'after', 'within_days', 'is_set', 'is_not_set'];
    case 'boolean':
    case 'select':
    case 'number':
      return ['is', 'is_not', 'is_set', 'is_not_set'];
    default:
      return TEXT_OPS;
  }
}

export function valueKind(field: string, op: Op, fields: readonly CustomField[]): ValueKind {
  if (op === 'is_set' || op === 'is_not_set') return 'none';
  if (op === 'within_days') return 'days';
  if (field === 'tag' || field === 'channel') return field;
  if (field === 'opted_out') return 'boolean';
  if (field === 'created_at' || field === 'last_inbound_at') return 'date';
  const type = customField(field, fields)?.type;
  if (type === 'select') return 'option';
  return type ?? 'text';
}

/** Another field keeps its operator and value only where they still make sense. */
export function withField(rule: DraftRule, field: string, fields: readonly CustomField[]): DraftRule {
  const ops = opsOf(field, fields);
  const op = ops.includes(rule.op) ? rule.op : (ops[0] ?? 'is');
  const same =
    valueKind(rule.field, rule.op, fields) === valueKind(field, op, fields) &&
    ['text', 'number', 'date', 'days'].includes(valueKind(field, op, fields));
  return { ...rule, field, op, value: same ? rule.value : '' };
}

export function withOp(rule: DraftRule, op: Op, fields: readonly CustomField[]): DraftRule {
  const same = valueKind(rule.field, rule.op, fields) === valueKind(rule.field, op, fields);
  return { ...rule, op, value: same ? rule.value : '' };
}

export function isComplete(rule: DraftRule, fields: readonly CustomField[]): boolean {
  const kind = valueKind(rule.field, rule.op, fields);
  if (kind === 'none') return true;
  if (kind === 'days') return /^[1-9]\d*$/.test(rule.value) && Number(rule.value) <= DAYS_MAX;
  return rule.value.trim() !== '';
}

/** The rule as the API takes it. Dates begin where the day begins for the viewer. */
export function toInput(rule: DraftRule, fields: readonly CustomField[]): RuleInput {
  const kind = valueKind(rule.field, rule.op, fields);
  const { field, op, value } = rule;
  switch (kind) {
    case 'none':
      return { field, op };
    case 'days':
      return { field, op, value: Number(value) };
    case 'boolean':
      return { field, op, value: field === 'opted_out' ? value === 'true' : value };
    case 'date':
      return { field, op, value: isMoment(op) ? new Date(`${value}T00:00:00`).toISOString() : value };
    default:
      return { field, op, value };
  }
}

export function fromRule(rule: Rule, key: string, fields: readonly CustomField[]): DraftRule {
  const kind = valueKind(rule.field, rule.op, fields);
  const value = rule.value === null || rule.value === undefined ? '' : String(rule.value);
  return {
    key,
    field: rule.field,
    op: rule.op,
    value: kind === 'date' && isMoment(rule.op) ? localDate(value) : value,
  };
}

/** `before` and `after` compare moments, also with a date; `is` compares dates. */
function isMoment(op: Op): boolean {
  return op === 'before' || op === 'after';
}

function localDate(iso: string): string {
  const at = new Date(iso);
  const two = (number: number) => String(number).padStart(2, '0');
  return Number.isNaN(at.getTime())
    ? ''
    : `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
