import { beforeAll, describe, expect, it } from 'vitest';
import type { CustomField } from '@/api/schema';
import { loadLanguage, loadTexts } from '@/i18n';
import { parseCsv } from './csv';
import {
  batches,
  columnsToCorrect,
  doubled,
  guessMapping,
  problemText,
  rejectedCsv,
  samples,
  summarise,
  toRow,
} from './mapping';

beforeAll(async () => {
  await loadLanguage();
  await loadTexts('contacts');
});

const plan: CustomField = {
  id: 'f1',
  name: 'Plan',
  type: 'text',
  options: [],
  created_at: '',
  updated_at: '',
};

describe('guessMapping', () => {
  it('knows the usual headings and custom fields, each once', () => {
    expect(
      guessMapping(['Vorname', 'Last_Name', 'Mobile', 'Phone', 'E-Mail', 'plan', 'Shoe size'], [plan]),
    ).toEqual(['first_name', 'last_name', 'phone', 'skip', 'email', 'field:f1', 'skip']);
  });
});

describe('toRow', () => {
  it('joins names, splits tags and leaves empty cells out', () => {
    const row = { line: 7, cells: ['Ann', ' Lee ', '', 'vip; new;vip', 'gold'] };
    expect(toRow(row, ['first_name', 'last_name', 'phone', 'tags', 'field:f1'])).toEqual({
      line: 7,
      name: 'Ann Lee',
      tags: ['vip', 'new'],
      custom_fields: { f1: 'gold' },
    });
  });
  it('prefers a full name and survives short rows', () => {
    expect(toRow({ line: 1, cells: ['Ann', 'Dr Ann Lee'] }, ['first_name', 'name', 'phone'])).toEqual({
      line: 1,
      name: 'Dr Ann Lee',
    });
  });
});

it('names targets that two columns have', () => {
  expect(doubled(['phone', 'skip', 'phone', 'skip', 'email'])).toEqual(['phone']);
});

describe('batches', () => {
  const rows = [1, 2, 3].map((line) => ({ line, name: 'x'.repeat(10) }));
  it('stay below the limit of rows', () =>
    expect(batches(rows, 2, 1_000).map((batch) => batch.length)).toEqual([2, 1]));
  it('stay below the limit of bytes, and let a single large row through', () => {
    expect(batches(rows, 100, 40).map((batch) => batch.length)).toEqual([1, 1, 1]);
  });
});

it('counts outcomes and gives rejected rows back with their reasons', () => {
  const file = parseCsv('name,phone\nAnn,1\nBo,2\n');
  const [headings, ...rows] = file;
  const results = [
    { line: 2, outcome: 'created' as const, contact_id: 'c', errors: [], warnings: [] },
    {
      line: 3,
      outcome: 'rejected' as const,
      contact_id: null,
      errors: [{ path: 'phone', message: 'is too short', value: '2' }],
      warnings: [],
    },
  ];
  expect(summarise(results)).toEqual({ created: 1, updated: 0, unchanged: 0, rejected: 1 });
  expect(rejectedCsv(headings?.cells ?? [], rows, results, 'Reason')).toBe(
    'name,phone,Reason\r\nBo,2,phone: is too short',
  );
});

it('names the columns to correct, and says what is wrong with a value', () => {
  const result = {
    line: 2,
    outcome: 'rejected' as const,
    contact_id: null,
    errors: [{ path: 'custom_fields.f1', message: 'must be a date', value: 'soon' }],
    warnings: [],
  };
  expect(columnsToCorrect(result, ['name', 'phone', 'field:f1', 'skip'])).toEqual([1, 2]);
  expect(result.errors.map((error) => problemText(error, [plan]))).toEqual(['Plan “soon” must be a date']);
  expect(problemText({ path: 'phone', message: 'is needed', value: null }, [])).toBe('Phone is needed');
  expect(problemText({ path: '', message: 'is not imported', value: null }, [])).toBe('is not imported');
});

it('shows the first values of a column that are not empty', () => {
  const rows = parseCsv('name,email\nAnn,\nBo, \nCy,c@x.io\nDi,d@x.io\nEd,e@x.io\nFi,f@x.io').slice(1);
  expect(samples(rows, 1)).toEqual(['c@x.io', 'd@x.io', 'e@x.io']);
  expect(samples(rows, 5)).toEqual([]);
});
