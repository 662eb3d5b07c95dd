/** What is being changed of a form, and what is sent for it. Pure. */
import type { FormChanges, FormDetail, FormField } from '@/api/schema';
import { originsOf } from './snippets';

export type FieldType = FormField['type'];

/** A field in the editor. `id` tells it apart while its key is not decided: that follows from its label. */
export interface FieldDraft {
  id: string;
  key: string;
  type: FieldType;
  label: string;
  required: boolean;
  /** The options of a choice, one on each line. */
  options: string;
}

export interface FormDraft {
  name: string;
  redirect: string;
  origins: string;
  button: string;
  thanks: string;
  fields: FieldDraft[];
}

/** The built-in fields, in the order in which they are usual. */
export const BUILT_IN = [
  { key: 'name', type: 'text', required: false },
  { key: 'email', type: 'email', required: true },
  { key: 'phone', type: 'phone', required: false },
  { key: 'message', type: 'long_text', required: true },
] as const;
export type BuiltIn = (typeof BUILT_IN)[number]['key'];
export const OWN_TYPES = ['text', 'long_text', 'choice', 'checkbox', 'date'] as const;
export const FIELDS_MAX = 20;
const KEY_CHARS_MAX = 50;
const RESERVED = ['fields', 'source_url'];
/** The labels of a form whose fields were never changed, as the server writes them. */
const USUAL_LABELS: Record<BuiltIn, string> = {
  name: 'Name',
  email: 'Email',
  phone: 'Phone',
  message: 'Message',
};

export const isBuiltIn = (key: string): key is BuiltIn => BUILT_IN.some((field) => field.key === key);

const usualFields = (): FormField[] =>
  BUILT_IN.map((field) => ({ ...field, label: USUAL_LABELS[field.key], options: [] }));

export function draftOf(form: FormDetail): FormDraft {
  return {
    name: form.name,
    redirect: form.redirect_url ?? '',
    origins: form.origins.join('\n'),
    button: form.button_text ?? '',
    thanks: form.thanks_text ?? '',
    fields: (form.fields ?? usualFields()).map((field) => ({
      ...field,
      id: field.key,
      options: field.options.join('\n'),
    })),
  };
}

/** What differs from the stored form. */
export function changesOf(form: FormDetail, draft: FormDraft): FormChanges {
  const before = draftOf(form);
  const differs = (part: keyof FormDraft) => JSON.stringify(before[part]) !== JSON.stringify(draft[part]);
  return {
    ...(differs('name') && { name: draft.name.trim() }),
    ...(differs('redirect') && { redirect_url: draft.redirect.trim() || null }),
    ...(differs('origins') && { origins: originsOf(draft.origins) }),
    ...(differs('button') && { button_text: draft.button.trim() || null }),
    ...(differs('thanks') && { thanks_text: draft.thanks.trim() || null }),
    ...(differs('fields') && { fields: sentFields(draft.fields) }),
  };
}

function sentFields(fields: FieldDraft[]) {
  const taken = fields.map(({ key }) => key).filter((key) => key !== '');
  return fields.map(({ key: known, type, label, required, options }) => {
    const key = known || keyFor(label, taken);
    if (!known) taken.push(key);
    const lines = [...new Set(options.split('\n').map((line) => line.trim()))].filter((line) => line !== '');
    return {
      key,
      label: label.trim(),
      required,
      // A built-in field has its own type.
      ...(!isBuiltIn(key) && { type }),
      ...(type === 'choice' && { options: lines }),
    };
  });
}

/** A key that says what the field is about, and that no other field of the form has. */
export function keyFor(label: string, taken: readonly string[]): string {
  const plain = label
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replace(/[^\w\s-]/g, '')
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
    .slice(0, KEY_CHARS_MAX - 3);
  const lower = [...taken.map((key) => key.toLowerCase()), ...RESERVED, ...BUILT_IN.map(({ key }) => key)];
  const base = plain || 'field';
  for (let number = 1; ; number += 1) {
    const key = number === 1 ? base : `${base}_${number}`;
    if (!lower.includes(key)) return key;
  }
}

/** The list with one item at another place; the same list if there is no such place. */
export function moved<T>(list: T[], from: number, to: number): T[] {
  if (to < 0 || to >= list.length) return list;
  const rest = list.filter((_, at) => at !== from);
  return [...rest.slice(0, to), ...list.slice(from, from + 1), ...rest.slice(to)];
}

/** The built-in fields that a form does not have. */
export const leftOut = (fields: FieldDraft[]) =>
  BUILT_IN.filter(({ key }) => !fields.some((field) => field.key === key));
