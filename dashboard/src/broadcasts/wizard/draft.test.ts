import { describe, expect, it } from 'vitest';
import type { Template } from '@/api/schema';
import { contact } from '@/testing/data';
import {
  type Draft,
  emptyDraft,
  LISTED_MAX,
  parsePhones,
  previewValues,
  problemsOf,
  suggestVariables,
  toAudience,
  toRequest,
} from './draft';

const NOW = Date.parse('2026-01-31T09:30:00Z');
const ZONE = 'Europe/Berlin';

const template: Template = {
  id: 't',
  name: 'order_update',
  language: 'en_US',
  category: 'UTILITY',
  status: 'APPROVED',
  placeholders: ['customer_name', '2'],
  created_at: '',
  updated_at: '',
  components: [
    { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
    { type: 'BODY', text: 'Hello {{customer_name}}, {{2}}.' },
    { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Track', url: 'https://a.example/{{1}}' }] },
  ],
};

const fixed = (text: string) => ({ source: 'static' as const, text, fallback: '' });
const whole: Draft = {
  ...emptyDraft('DE'),
  name: ' Spring sale ',
  template: { name: 'order_update', language: 'en_US' },
  variables: {
    header: fixed('17'),
    'body:customer_name': { source: 'name', text: '', fallback: ' friend ' },
    'body:2': { source: 'field:plan', text: '', fallback: '' },
    'button:0': fixed('t/17'),
  },
};
const audience = (more: Partial<Draft['audience']>) => toAudience({ ...whole.audience, ...more });

describe('an audience', () => {
  it('has one of five kinds, and is none while its kind lacks something', () => {
    expect(audience({})).toEqual({ type: 'all' });
    expect(audience({ excludeTagIds: ['vip'] })).toEqual({ type: 'all', exclude_tag_ids: ['vip'] });
    expect(audience({ type: 'tags' })).toBeNull();
    expect(audience({ type: 'tags', tagIds: ['vip'], excludeTagIds: ['no'] })).toEqual({
      type: 'tags',
      tag_ids: ['vip'],
      exclude_tag_ids: ['no'],
    });
    expect(audience({ type: 'segment' })).toBeNull();
    expect(audience({ type: 'segment', segmentId: 's' })).toEqual({ type: 'segment', segment_id: 's' });
    expect(audience({ type: 'contacts' })).toBeNull();
    expect(audience({ type: 'contacts', contacts: [contact], excludeTagIds: ['vip'] })).toEqual({
      type: 'contacts',
      contact_ids: ['ann'],
    });
    expect(audience({ type: 'phones', phones: '+1 415 555 0123' })).toEqual({
      type: 'phones',
      phones: ['+1 415 555 0123'],
      country: 'DE',
    });
  });

  it('of numbers is none while one of them cannot be read, or they are too many', () => {
    expect(audience({ type: 'phones', phones: '+14155550123\nAnn' })).toBeNull();
    const many = Array.from({ length: LISTED_MAX + 1 }, (_, index) => `+1415${1_000_000 + index}`).join();
    expect(audience({ type: 'phones', phones: many })).toBeNull();
  });
});

describe('numbers', () => {
  it('are separated by lines, commas or semicolons, and each counts once', () => {
    expect(
      parsePhones('+1 (415) 555-0123,+49 151 12345601;\n\n+14155550123\r\n0151/12345602').phones,
    ).toEqual(['+1 (415) 555-0123', '+49 151 12345601', '0151/12345602']);
  });

  it('that are none are named', () => {
    expect(parsePhones('Ann\n12\n+14155550123').wrong).toEqual(['Ann', '12']);
  });

  it('are read in time that grows with their number, whatever is written', () => {
    const text = Array.from({ length: 20_000 }, (_, index) => `+4915${100_000_000 + index}`).join('\n');
    expect(parsePhones(text).phones).toHaveLength(20_000);
    // Not a hundred thousand tries to read one number.
    for (const odd of [' '.repeat(100_000), `+${'1 '.repeat(100_000)}`, `${'('.repeat(100_000)}x`])
      expect(parsePhones(odd).phones).toEqual([]);
  });
});

describe('a request', () => {
  it('has every value under the name that the API has for it', () => {
    expect(toRequest(whole, template, ZONE)).toEqual({
      name: 'Spring sale',
      template: { name: 'order_update', language: 'en_US' },
      audience: { type: 'all' },
      variables: {
        header_text: { type: 'static', value: '17' },
        customer_name: { type: 'field', value: 'name', fallback: 'friend' },
        2: { type: 'custom_field', value: 'plan' },
        'button_params.0': { type: 'static', value: 't/17' },
      },
    });
  });

  it('has a time of the account’s timezone', () => {
    const later = toRequest({ ...whole, when: 'later', at: '2026-02-01T09:00' }, template, ZONE);
    expect(later?.schedule_at).toBe('2026-02-01T08:00:00.000Z');
  });
});

describe('what is missing', () => {
  const problems = (more: Partial<Draft>, of: Template | undefined = template) =>
    problemsOf({ ...whole, ...more }, of, ZONE, NOW);

  it('is nothing when all is there', () => {
    expect(problems({})).toEqual([]);
  });

  it('is named', () => {
    expect(problemsOf(emptyDraft(null), undefined, ZONE, NOW)).toEqual(['name', 'template']);
    expect(problems({ variables: { ...whole.variables, header: fixed('  ') } })).toEqual(['variables']);
    expect(problems({ audience: { ...whole.audience, type: 'tags' } })).toEqual(['audience']);
    const withImage = { ...template, placeholders: [], components: [{ type: 'HEADER', format: 'IMAGE' }] };
    expect(problems({}, withImage)).toEqual(['media']);
    expect(problems({ headerMediaUrl: 'https://a.example/b.png' }, withImage)).toEqual([]);
  });

  it('is a time that is over or none', () => {
    expect(problems({ when: 'later', at: '2026-01-31T10:30' })).toEqual(['time']);
    expect(problems({ when: 'later', at: '' })).toEqual(['time']);
    expect(problems({ when: 'later', at: '2026-01-31T10:31' })).toEqual([]);
  });
});

describe('the preview', () => {
  it('has a person’s own values, and the fallback where they have none', () => {
    expect(previewValues(template, whole, contact)).toEqual({
      header: '17',
      'body:customer_name': 'Ann Lee',
      'body:2': 'gold',
      'button:0': 't/17',
    });
    const nameless = { ...contact, name: null, custom_fields: [] };
    expect(previewValues(template, whole, nameless)).toMatchObject({
      'body:customer_name': ' friend ',
      'body:2': '',
    });
  });

  it('suggests a field only where the placeholder says so', () => {
    expect(Object.keys(suggestVariables(template))).toEqual(['body:customer_name']);
    expect(suggestVariables({ ...template, placeholders: ['1', 'company_rename'] })).toEqual({});
  });
});
