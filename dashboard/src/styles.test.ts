/** One visual language: sizes come from the tokens of styles.css. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FILES, textOf } from './testing/sources';

const STYLES = readFileSync(join(import.meta.dirname, 'styles.css'), 'utf8');

const SIZES = ['xs', 'sm', 'base', 'lg', 'xl', 'figure'];
const found = (pattern: RegExp) =>
  FILES.flatMap((file) => [...textOf(file).matchAll(pattern)].map(([match]) => `${file}: ${match}`));

it('text has one of the six sizes', () => {
  const sizes = found(/\btext-(?:xs|sm|base|lg|\d*xl|figure|\[\d[^\]]*\])(?![\w-])/g);
  expect(sizes.length).toBeGreaterThan(100);
  expect(sizes.filter((size) => !SIZES.some((name) => size.endsWith(`text-${name}`)))).toEqual([]);
});

it('pages have one of the two widths', () => {
  expect(found(/mx-auto[^"'`]*max-w-[3-7]xl/g).filter((match) => !match.startsWith('ui/Dialog'))).toEqual([]);
});

it('pages of the settings have one width, and those with a preview beside them another', () => {
  const pages = FILES.filter((file) => /^settings\/.*Page\.tsx$/.test(file));
  expect(pages.filter((file) => /max-w-(?:page|columns)/.test(textOf(file)))).toEqual([]);
  const wide = pages.filter((file) => textOf(file).includes('settings-columns'));
  expect(wide).toEqual(
    ['branding/BrandingPage', 'channels/ConnectionPage', 'forms/FormPage'].map(
      (page) => `settings/${page}.tsx`,
    ),
  );
});

it('own words, what is selected, the active tab and a badge have a tint each', () => {
  const tints = ['bubble', 'selected', 'active', 'badge'].map(
    (name) => new RegExp(`--color-${name}: light-dark\\((.+?), (.+?)\\);`).exec(STYLES) ?? [],
  );
  for (const scheme of [1, 2]) {
    const values = tints.map((tint) => tint[scheme]);
    expect(values).not.toContain(undefined);
    expect(new Set(values).size).toBe(values.length);
  }
  const own = 'assistants/TrialChat.tsx';
  expect(textOf(own)).toMatch(/own \? '[^']*\bbg-bubble\b/);
  for (const file of ['shell/Navigation.tsx', 'inbox/ConversationRow.tsx']) {
    expect(textOf(file)).toContain('bg-badge');
    expect(textOf(file)).not.toMatch(/\bbg-accent\b/);
  }
});

it('options are chosen in our own select', () => {
  expect(found(/<select\b/g)).toEqual([]);
});
