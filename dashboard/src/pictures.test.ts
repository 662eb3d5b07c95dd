/** The pictures in README.md and docs/dashboard.md are there, are shown, and are small. Says which are old; that fails nothing. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { codeOf, DOCUMENTED, PICTURES, taken } from './testing/pictures';

const BYTES_MAX = 1_000_000;
const ROOT = resolve(PICTURES, '../..');
const names = Object.entries(DOCUMENTED).flatMap(([name, { dark }]) => [
  name,
  ...(dark ? [`${name}-dark`] : []),
]);

it('every page has its picture, and there is no other', () => {
  const files = readdirSync(PICTURES).filter((file) => file !== 'taken.json');
  expect(files.sort()).toEqual(names.map((name) => `${name}.webp`).sort());
});

it('every picture is shown, with words for those who do not see it', () => {
  const dashboard = readFileSync(resolve(ROOT, 'docs/dashboard.md'), 'utf8');
  for (const name of Object.keys(DOCUMENTED)) {
    expect(dashboard).toMatch(new RegExp(`!\\[[^\\]]{10,}\\]\\(pictures/${name}\\.webp\\)`));
  }
  const readme = readFileSync(resolve(ROOT, 'README.md'), 'utf8');
  for (const name of names.filter((each) => each.endsWith('-dark'))) {
    expect(readme).toContain(`docs/pictures/${name}.webp`);
  }
});

it('all of them are under a megabyte', () => {
  const bytes = names.map((name) => statSync(resolve(PICTURES, `${name}.webp`)).size);
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(BYTES_MAX);
});

it('says which pages have changed since', () => {
  const then = taken();
  expect(Object.keys(then).sort()).toEqual(Object.keys(DOCUMENTED).sort());
  const changed = Object.entries(DOCUMENTED).filter(([name, { page }]) => then[name] !== codeOf(page));
  process.stdout.write(
    changed.length === 0
      ? 'pictures: no page has changed since its picture was taken\n'
      : `pictures: changed since their picture was taken: ${changed.map(([name]) => name).join(', ')}. Take them anew: make pictures\n`,
  );
});

it('a change of anything that a page imports is noticed, and no other', () => {
  expect(codeOf('settings/TagsPage.tsx')).toBe(codeOf('settings/TagsPage.tsx'));
  expect(codeOf('settings/TagsPage.tsx')).not.toBe(codeOf('settings/FieldsPage.tsx'));
});
