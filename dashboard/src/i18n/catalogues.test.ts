import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as de from './de';
import * as en from './en';
import { preferredLanguage } from './index';
import { format, type Message } from './message';

/** All texts of a language: those of the first load and those of every feature. */
async function whole({ first, later }: typeof de | typeof en): Promise<Record<string, Message>> {
  const features = await Promise.all(Object.values(later).map((load) => load()));
  return Object.assign({}, first, ...features);
}
const TRANSLATIONS: Record<string, Record<string, Message>> = { de: await whole(de) };
const source = await whole(en);
const texts = (message: Message): string[] =>
  typeof message === 'string' ? [message] : Object.values(message);
const placeholders = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort();

describe.each(Object.entries(TRANSLATIONS))('the catalogue %s', (language, catalogue) => {
  it('has every message and no other', () => {
    expect(Object.keys(catalogue).sort()).toEqual(Object.keys(source).sort());
  });
  it('fills in the same values', () => {
    for (const [key, message] of Object.entries(source)) {
      const original = placeholders(texts(message).at(-1) ?? '');
      for (const text of texts(catalogue[key] ?? '')) expect(placeholders(text), key).toEqual(original);
    }
  });
  it('has every plural form of its language', () => {
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    for (const [key, message] of Object.entries(catalogue)) {
      if (typeof message !== 'string') expect(Object.keys(message).sort(), key).toEqual([...forms].sort());
    }
  });
  it('leaves no message empty', () => {
    for (const [key, message] of Object.entries(catalogue)) {
      for (const text of texts(message)) expect(text.trim(), key).not.toBe('');
    }
  });
});

/** Every file of the app except tests and catalogues. */
function sources(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return ['en', 'de'].includes(entry.name) ? [] : sources(path);
    return /\.tsx?$/.test(entry.name) && !/\.test\./.test(entry.name) ? [readFileSync(path, 'utf8')] : [];
  });
}

it('has no message that nothing shows', () => {
  const code = sources('src').join('\n');
  const dynamic = [...code.matchAll(/tDynamic\('(\w+)'/g)].map((match) => match[1]);
  const built = ['importDone', 'importWould', 'template', ...dynamic];
  const unused = Object.keys(source).filter(
    (key) => !code.includes(`'${key}'`) && !built.includes(key.split('.')[0]),
  );
  expect(unused).toEqual([]);
});

describe('format', () => {
  it('fills in values, numbers as the language writes them', () => {
    expect(format('{name} has {count}', { name: 'Ann', count: 1234.5 }, 'de')).toBe('Ann has 1.234,5');
  });
  it('chooses the plural form', () => {
    const message = { one: '{count} day', other: '{count} days' };
    expect(format(message, { count: 1 }, 'en')).toBe('1 day');
    expect(format(message, { count: 0 }, 'en')).toBe('0 days');
  });
  it('does not fill in what a value contains', () => {
    expect(format('{a} {b}', { a: '{b}', b: 'x' }, 'en')).toBe('{b} x');
  });
});

it('prefers the chosen language, then the browser’s', () => {
  expect(preferredLanguage('de', ['en-GB'])).toBe('de');
  expect(preferredLanguage(null, ['fr-CH', 'de-CH', 'en'])).toBe('de');
  expect(preferredLanguage('xx', ['ja'])).toBe('en');
});
