/** A broadcast while it is being put together: what is missing, and the request it becomes. Pure. */
import type { AudienceInput, Contact, NewBroadcast, Template, Variable } from '@/api/schema';
import type { ContactSummary } from '@/api/shapes';
import { type TemplateValues, templateFields } from '@/templates/template';
import { toInstant } from '../zone';

/** Numbers or contacts that a broadcast may list. */
export const LISTED_MAX = 100_000;
export const NAME_CHARACTERS_MAX = 200;

export const AUDIENCE_TYPES = ['all', 'tags', 'segment', 'contacts', 'phones'] as const;
export type AudienceType = (typeof AUDIENCE_TYPES)[number];

/** All five kinds are kept while another one is tried. */
export interface AudienceDraft {
  type: AudienceType;
  tagIds: string[];
  excludeTagIds: string[];
  segmentId: string;
  contacts: ContactSummary[];
  phones: string;
  /** The country of numbers without a country code; empty for none. */
  country: string;
}

export const CONTACT_FIELDS = ['name', 'phone', 'email', 'company'] as const;
type ContactField = (typeof CONTACT_FIELDS)[number];

/** Where a value comes from: the same text for all, a field of the contact, or a custom field by its id. */
export type VariableSource = 'static' | ContactField | `field:${string}`;

export interface VariableDraft {
  source: VariableSource;
  text: string;
  fallback: string;
}

export interface Draft {
  name: string;
  audience: AudienceDraft;
  template: { name: string; language: string } | null;
  /** By the key of the template's field, such as `body:1`. */
  variables: Record<string, VariableDraft>;
  headerMediaUrl: string;
  when: 'now' | 'later';
  /** In the account's timezone, as a date field has it. */
  at: string;
}

export function emptyDraft(country: string | null): Draft {
  return {
    name: '',
    audience: {
      type: 'all',
      tagIds: [],
      excludeTagIds: [],
      segmentId: '',
      contacts: [],
      phones: '',
      country: country ?? '',
    },
    template: null,
    variables: {},
    headerMediaUrl: '',
    when: 'now',
    at: '',
  };
}

const DIGITS_MIN = 7;
const DIGITS_MAX = 15;

interface ParsedPhones {
  phones: string[];
  wrong: string[];
}

let lastParsed: { text: string; result: ParsedPhones } | undefined;

/**
 * Numbers from a list with one per line, or separated by commas or semicolons; each once. The last list is remembered:
 * several parts of a page ask for it, and it may have a hundred thousand lines.
 */
export function parsePhones(text: string): ParsedPhones {
  if (lastParsed?.text !== text) lastParsed = { text, result: readPhones(text) };
  return lastParsed.result;
}

function readPhones(text: string): ParsedPhones {
  const phones = new Map<string, string>();
  const wrong: string[] = [];
  for (const part of text.split(/[\n,;]+/)) {
    const written = part.trim();
    if (written === '') continue;
    const digits = written.replace(/\D/g, '');
    const isNumber =
      /^[+\d\s./()\-\u00a0\u2011\u202f]+$/.test(written) &&
      digits.length >= DIGITS_MIN &&
      digits.length <= DIGITS_MAX;
    if (!isNumber) wrong.push(written);
    else if (!phones.has(digits)) phones.set(digits, written);
  }
  return { phones: [...phones.values()], wrong };
}

/** The audience of the request; null while something of it is missing. */
export function toAudience(draft: AudienceDraft): AudienceInput | null {
  const exclude = draft.excludeTagIds.length > 0 && { exclude_tag_ids: draft.excludeTagIds };
  switch (draft.type) {
    case 'all':
      return { type: 'all', ...exclude };
    case 'tags':
      return draft.tagIds.length > 0 ? { type: 'tags', tag_ids: draft.tagIds, ...exclude } : null;
    case 'segment':
      return draft.segmentId ? { type: 'segment', segment_id: draft.segmentId, ...exclude } : null;
    case 'contacts':
      return draft.contacts.length > 0 && draft.contacts.length <= LISTED_MAX
        ? { type: 'contacts', contact_ids: draft.contacts.map(({ id }) => id) }
        : null;
    case 'phones': {
      const { phones, wrong } = parsePhones(draft.phones);
      if (phones.length === 0 || phones.length > LISTED_MAX || wrong.length > 0) return null;
      return { type: 'phones', phones, ...(draft.country && { country: draft.country }) };
    }
  }
}

const EMPTY_VARIABLE: VariableDraft = { source: 'static', text: '', fallback: '' };

export const variableOf = (draft: Draft, key: string): VariableDraft =>
  draft.variables[key] ?? EMPTY_VARIABLE;

/** Fields that have one obvious source by their name. A wrong guess might be sent, so there are few. */
export function suggestVariables(template: Template): Record<string, VariableDraft> {
  const found: Record<string, VariableDraft> = {};
  for (const { key, kind, name } of templateFields(template)) {
    const source = CONTACT_FIELDS.find((field) => new RegExp(`(^|_)${field}$`, 'i').test(name));
    if (kind === 'body' && source) found[key] = { source, text: '', fallback: '' };
  }
  return found;
}

/** The names that the API has for a template's fields. */
export function apiKey(key: string): string {
  if (key === 'header') return 'header_text';
  return key.startsWith('button:') ? key.replace('button:', 'button_params.') : key.replace('body:', '');
}

function toVariable({ source, text, fallback }: VariableDraft): Variable {
  if (source === 'static') return { type: 'static', value: text.trim() };
  const kept = fallback.trim() !== '' && { fallback: fallback.trim() };
  return source.startsWith('field:')
    ? { type: 'custom_field', value: source.slice('field:'.length), ...kept }
    : { type: 'field', value: source, ...kept };
}

export type Problem = 'name' | 'audience' | 'template' | 'variables' | 'media' | 'time';
export type Step = 'audience' | 'message' | 'send';
export const STEPS: readonly Step[] = ['audience', 'message', 'send'];

export const STEP_OF: Record<Problem, Step> = {
  name: 'audience',
  audience: 'audience',
  template: 'message',
  variables: 'message',
  media: 'message',
  time: 'send',
};

/** What still keeps it from being sent. */
export function problemsOf(
  draft: Draft,
  template: Template | undefined,
  timezone: string,
  now: number,
): Problem[] {
  const found: Problem[] = [];
  if (draft.name.trim() === '') found.push('name');
  if (!toAudience(draft.audience)) found.push('audience');
  if (!template) found.push('template');
  else {
    const fields = templateFields(template);
    const isMissing = (key: string) => {
      const { source, text } = variableOf(draft, key);
      return source === 'static' && text.trim() === '';
    };
    if (fields.some(({ key, kind }) => kind !== 'header_media' && isMissing(key))) found.push('variables');
    const media = fields.find(({ kind }) => kind === 'header_media');
    if (media && !media.optional && draft.headerMediaUrl === '') found.push('media');
  }
  if (draft.when === 'later') {
    const at = toInstant(draft.at, timezone);
    if (at === null || at.getTime() <= now) found.push('time');
  }
  return found;
}

/** The request; null while something is missing. */
export function toRequest(
  draft: Draft,
  template: Template | undefined,
  timezone: string,
): NewBroadcast | null {
  const audience = toAudience(draft.audience);
  if (!audience || !template) return null;
  const fields = templateFields(template).filter(({ kind }) => kind !== 'header_media');
  const variables = Object.fromEntries(
    fields.map(({ key }) => [apiKey(key), toVariable(variableOf(draft, key))]),
  );
  const at = draft.when === 'later' ? toInstant(draft.at, timezone) : null;
  return {
    name: draft.name.trim(),
    template: { name: template.name, language: template.language },
    audience,
    ...(fields.length > 0 && { variables }),
    ...(draft.headerMediaUrl && { header_media_url: draft.headerMediaUrl }),
    ...(at && { schedule_at: at.toISOString() }),
  };
}

type Person = Pick<Contact, ContactField> & Partial<Pick<Contact, 'custom_fields'>>;

/** What a person would read for a variable; empty if there is nothing. */
export function valueFor({ source, text, fallback }: VariableDraft, person: Person | undefined): string {
  if (source === 'static') return text;
  const value = source.startsWith('field:')
    ? person?.custom_fields?.find(({ field_id: id }) => id === source.slice('field:'.length))?.value
    : person?.[source as ContactField];
  return value?.trim() || fallback;
}

/** The template's values for one person. */
export function previewValues(template: Template, draft: Draft, person: Person | undefined): TemplateValues {
  const values = templateFields(template)
    .filter(({ kind }) => kind !== 'header_media')
    .map(({ key }) => [key, valueFor(variableOf(draft, key), person)]);
  return {
    ...Object.fromEntries(values),
    ...(draft.headerMediaUrl && { header_media: draft.headerMediaUrl }),
  };
}
