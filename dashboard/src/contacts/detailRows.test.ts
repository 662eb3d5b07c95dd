import { expect, it } from 'vitest';
import type { CustomField } from '@/api/schema';
import { contact } from '@/testing/data';
import { changeOf, detailsOf, pathOf } from './detailRows';

const plan = { id: 'plan', name: 'Plan', type: 'text', options: [] } as unknown as CustomField;
const size = { id: 'size', name: 'Size', type: 'number', options: [] } as unknown as CustomField;
const of = (key: string) => {
  const detail = detailsOf(contact, [plan, size]).find((each) => each.key === key);
  if (!detail) throw new Error(`There is no detail ${key}.`);
  return detail;
};

it('lists the standard fields, then all custom ones, also those without a value', () => {
  const details = detailsOf({ ...contact, email: null }, [plan, size]);
  expect(details.map(({ key, value }) => [key, value])).toEqual([
    ['phone', '+14155550123'],
    ['email', null],
    ['company', 'Acme'],
    ['field:plan', 'gold'],
    ['field:size', null],
  ]);
});

it('shows a value whose field is not known', () => {
  expect(detailsOf(contact, []).at(-1)).toMatchObject({ key: 'field:plan', name: 'Plan', value: 'gold' });
});

it('stores one value, and clears it when it is empty', () => {
  expect(changeOf(of('email'), ' ann@example.com ', 'DE')).toEqual({ email: 'ann@example.com' });
  expect(changeOf(of('company'), '  ', null)).toEqual({ company: null });
  expect(changeOf(of('field:plan'), 'silver', null)).toEqual({ custom_fields: { plan: 'silver' } });
});

it('reads a number as it is dialled in the country of the account', () => {
  expect(changeOf(of('phone'), '0170 1234567', 'DE')).toEqual({ phone: '0170 1234567', country: 'DE' });
  expect(changeOf(of('phone'), '', null)).toEqual({ phone: null });
});

it('finds the error of a custom field', () => {
  expect(pathOf(of('field:plan'))).toBe('custom_fields.plan');
});
