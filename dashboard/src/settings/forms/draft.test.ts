import { expect, it } from 'vitest';
import { form } from '@/testing/setup';
import { changesOf, draftOf, type FieldDraft, keyFor, leftOut, moved } from './draft';

const own = (more: Partial<FieldDraft>): FieldDraft => ({
  id: 'new1',
  key: '',
  type: 'text',
  label: 'Order number',
  required: false,
  options: '',
  ...more,
});

it('shows the usual fields of a form that has none of its own, and sends nothing of them', () => {
  const draft = draftOf(form);
  expect(draft.fields.map(({ key, required }) => [key, required])).toEqual([
    ['name', false],
    ['email', true],
    ['phone', false],
    ['message', true],
  ]);
  expect(changesOf(form, draft)).toEqual({});
});

it('sends only what was changed, and null for what was cleared', () => {
  const stored = { ...form, button_text: 'Ask', redirect_url: 'https://a.test/' };
  const draft = { ...draftOf(stored), button: ' ', redirect: '', name: ' Quotes ', origins: 'a.test' };
  expect(changesOf(stored, draft)).toEqual({
    name: 'Quotes',
    button_text: null,
    redirect_url: null,
    origins: ['https://a.test'],
  });
});

it('sends fields in their order, with keys made from their labels', () => {
  const [name] = draftOf(form).fields;
  const fields = [
    own({ type: 'choice', label: 'Größe', options: 'S\n\n M \nM', required: true }),
    { ...(name as FieldDraft), label: 'Your name' },
    own({ id: 'new2' }),
    own({ id: 'new3' }),
  ];
  expect(changesOf(form, { ...draftOf(form), fields }).fields).toEqual([
    { key: 'grosse', type: 'choice', label: 'Größe', required: true, options: ['S', 'M'] },
    { key: 'name', label: 'Your name', required: false },
    { key: 'order_number', type: 'text', label: 'Order number', required: false },
    { key: 'order_number_2', type: 'text', label: 'Order number', required: false },
  ]);
});

it('keeps the key of a field whose label changes', () => {
  const stored = {
    ...form,
    fields: [{ key: 'name', type: 'text' as const, label: 'N', required: false, options: [] }],
  };
  const draft = draftOf(stored);
  const fields = draft.fields.map((field) => ({ ...field, label: 'Full name' }));
  expect(changesOf(stored, { ...draft, fields }).fields?.[0]?.key).toBe('name');
});

it('makes keys that the server takes', () => {
  expect(keyFor('  2. Straße & Nr. ', [])).toBe('strasse_nr');
  expect(keyFor('電話', [])).toBe('field');
  expect(keyFor('Email', [])).toBe('email_2');
  expect(keyFor('Fields', ['fields_2'])).toBe('fields_3');
  expect(keyFor('x'.repeat(80), [])).toHaveLength(47);
});

it('moves an item, and nothing past an end', () => {
  expect(moved(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b']);
  expect(moved(['a', 'b', 'c'], 0, 1)).toEqual(['b', 'a', 'c']);
  expect(moved(['a', 'b'], 0, -1)).toEqual(['a', 'b']);
  expect(moved(['a', 'b'], 1, 2)).toEqual(['a', 'b']);
});

it('names the built-in fields that are left out', () => {
  expect(leftOut(draftOf(form).fields.slice(1)).map(({ key }) => key)).toEqual(['name']);
});
