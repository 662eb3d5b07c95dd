import { describe, expect, it } from 'vitest';
import type { CustomField } from '@/api/schema';
import {
  type DraftRule,
  FIELDS,
  fromRule,
  isComplete,
  opsOf,
  toInput,
  valueKind,
  withField,
  withOp,
} from './rules';

const field = (id: string, type: CustomField['type']): CustomField => ({
  id,
  name: id,
  type,
  options: ['a'],
  created_at: '',
  updated_at: '',
});
const fields = [
  field('plan', 'select'),
  field('size', 'number'),
  field('birthday', 'date'),
  field('vip', 'boolean'),
];
const rule = (given: Partial<DraftRule>): DraftRule => ({
  key: 'k',
  field: 'name',
  op: 'is',
  value: '',
  ...given,
});

describe('segment rules', () => {
  it('offers operators for every field, and a value for every operator', () => {
    for (const name of [...FIELDS, ...fields.map((each) => `custom_field:${each.id}`)]) {
      const ops = opsOf(name, fields);
      expect(ops.length, name).toBeGreaterThan(0);
      for (const op of ops) expect(valueKind(name, op, fields), `${name} ${op}`).toBeTruthy();
    }
  });
  it('keeps a value only where it still makes sense', () => {
    expect(withField(rule({ value: 'Ann' }), 'company', fields)).toMatchObject({
      field: 'company',
      op: 'is',
      value: 'Ann',
    });
    expect(withField(rule({ op: 'contains', value: 'Ann' }), 'tag', fields)).toMatchObject({
      field: 'tag',
      op: 'is',
      value: '',
    });
    expect(withField(rule({ field: 'tag', value: 't1' }), 'channel', fields).value).toBe('');
    expect(
      withOp(rule({ field: 'created_at', op: 'before', value: '2026-01-31' }), 'within_days', fields).value,
    ).toBe('');
  });
  it('knows when a rule is complete', () => {
    expect(isComplete(rule({ value: ' ' }), fields)).toBe(false);
    expect(isComplete(rule({ op: 'is_set' }), fields)).toBe(true);
    expect(isComplete(rule({ field: 'created_at', op: 'within_days', value: '0' }), fields)).toBe(false);
    expect(isComplete(rule({ field: 'created_at', op: 'within_days', value: '30' }), fields)).toBe(true);
  });
  it('writes values in the types of the API', () => {
    expect(toInput(rule({ field: 'opted_out', value: 'true' }), fields)).toEqual({
      field: 'opted_out',
      op: 'is',
      value: true,
    });
    expect(toInput(rule({ field: 'created_at', op: 'within_days', value: '7' }), fields)).toEqual({
      field: 'created_at',
      op: 'within_days',
      value: 7,
    });
    expect(
      toInput(rule({ field: 'custom_field:birthday', op: 'is', value: '2026-01-31' }), fields).value,
    ).toBe('2026-01-31');
    expect(
      toInput(rule({ field: 'custom_field:birthday', op: 'before', value: '2026-01-31' }), fields).value,
    ).toBe(new Date(2026, 0, 31).toISOString());
    expect(toInput(rule({ field: 'custom_field:vip', value: 'true' }), fields).value).toBe('true');
    expect(toInput(rule({ op: 'is_set', value: 'left over' }), fields)).toEqual({
      field: 'name',
      op: 'is_set',
    });
  });
  it('reads what it wrote', () => {
    for (const draft of [
      rule({ value: 'Ann' }),
      rule({ field: 'opted_out', value: 'false' }),
      rule({ field: 'created_at', op: 'after', value: '2026-03-29' }),
      rule({ field: 'created_at', op: 'within_days', value: '7' }),
      rule({ field: 'custom_field:birthday', op: 'is', value: '2026-01-31' }),
      rule({ field: 'email', op: 'is_not_set' }),
    ]) {
      const input = toInput(draft, fields);
      expect(fromRule({ ...input, value: input.value ?? null }, 'k', fields)).toEqual(draft);
    }
  });
});
