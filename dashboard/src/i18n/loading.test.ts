/** Code is loaded together with the texts that it shows, and with no others. */
import { expect, it } from 'vitest';
import { FILES, importedFile, staticImportsOf, textOf } from '@/testing/sources';
import { first, later } from './en';

const FEATURES = Object.keys(later) as Array<keyof typeof later>;
const catalogues = await Promise.all(
  FEATURES.map(async (feature) => [feature, Object.keys(await later[feature]())] as const),
);
const prefix = (key: string) => key.split('.')[0] ?? key;

/** The features, beyond the first load, whose texts a file shows and does not load itself. */
function shownBy(file: string): string[] {
  const code = textOf(file);
  const literals = new Set([...code.matchAll(/'([\w.]+)'/g)].map((match) => match[1]));
  const prefixes = new Set(
    [...code.matchAll(/tDynamic\(\s*'(\w+)'|`(\w+)\.\$\{/g)].map(([, a, b]) => a ?? b),
  );
  const own = [...code.matchAll(/loadTexts\(([^)]*)\)/g)].map((match) => match[1]).join();
  return catalogues
    .filter(([, keys]) => keys.some((key) => literals.has(key) || prefixes.has(prefix(key))))
    .map(([feature]) => feature)
    .filter((feature) => !own.includes(`'${feature}'`));
}

/** The features whose texts are needed when a file is loaded with everything that it imports. */
function neededBy(file: string): string[] {
  const seen = new Set<string>();
  const walk = (each: string) => {
    if (seen.has(each) || each.startsWith('i18n/')) return;
    seen.add(each);
    for (const imported of staticImportsOf(each)) walk(imported);
  };
  walk(file);
  return [...new Set([...seen].flatMap(shownBy))].sort();
}

/** Every `import('…')`, with the features that are named after it. */
function loads(): Array<{ place: string; file: string; named: string[] }> {
  return FILES.filter((file) => !file.startsWith('i18n/')).flatMap((importer) =>
    [...textOf(importer).matchAll(/import\('([^']+)'\)((?:,\s*'\w+')*)/g)].flatMap(
      ([, module = '', rest = '']) => {
        const file = importedFile(importer, module);
        const names = [...rest.matchAll(/'(\w+)'/g)].map((match) => match[1] ?? '');
        const named = names.filter((name) => name in later).sort();
        return file ? [{ place: `${importer}: ${module}`, file, named }] : [];
      },
    ),
  );
}

it.each(loads().map((load) => [load.place, load] as const))('%s names the texts it shows', (_, load) => {
  expect(load.named).toEqual(neededBy(load.file));
});

it('the app itself needs only the first texts', () => {
  expect(neededBy('main.tsx')).toEqual([]);
});

it('finds pages and what they show', () => {
  expect(loads().length).toBeGreaterThan(30);
  expect(neededBy('runs/RunPage.tsx')).toContain('tools');
});

it('no text is in two catalogues', () => {
  const keys = [...Object.keys(first), ...catalogues.flatMap(([, texts]) => texts)];
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
});
