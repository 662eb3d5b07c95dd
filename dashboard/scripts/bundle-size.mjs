// Fails when scripts come to more than their budget, compressed as the server sends them (gzip): those of the first
// load, and those that a page loads in addition.
//
// The first load is the entry of index.html, the shell, the inbox, an open conversation and the first texts. A page is a
// route of router.tsx with the routes above it and the texts that it names. Each is counted with everything it imports
// statically, in every language: the largest one counts.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const FIRST_LOAD_KB_MAX = 220;
const PAGE_KB_MAX = 60;
/** The service worker is loaded beside the first page, when that is shown. */
const WORKER_KB_MAX = 15;
/** Smaller files, and pages that load less, are not listed. */
const LISTED_FILE_KB_MIN = 2;
const LISTED_PAGE_KB_MIN = 30;
const FIRST_PAGES = [
  'index.html',
  'src/shell/Shell.tsx',
  'src/inbox/InboxPage.tsx',
  'src/inbox/ConversationPage.tsx',
];
const TEXTS = 'src/i18n';

const directory = process.argv[2];
const manifest = JSON.parse(readFileSync(join(directory, '.vite/manifest.json'), 'utf8'));

/** The scripts of some modules, with everything they import statically. */
function filesOf(modules) {
  const files = new Set();
  const add = (key) => {
    const chunk = manifest[key];
    if (!chunk || files.has(chunk.file)) return;
    files.add(chunk.file);
    for (const imported of chunk.imports ?? []) add(imported);
  };
  for (const module of modules) {
    if (!manifest[module]) throw new Error(`${module} is not in the manifest of the build.`);
    add(module);
  }
  return files;
}

const sizes = new Map();
function sizeOf(file) {
  if (!sizes.has(file)) {
    sizes.set(file, gzipSync(readFileSync(join(directory, file)), { level: 9 }).length / 1000);
  }
  return sizes.get(file);
}
const sum = (files) => [...files].reduce((total, file) => total + sizeOf(file), 0);
const line = (size, words) => process.stdout.write(`${size.toFixed(1).padStart(8)} KB  ${words}\n`);

/** The folders of texts. */
const LANGUAGES = readdirSync(TEXTS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** The pages of the router: their modules, with those of the routes above them, and the texts of a language. */
function pages(language) {
  const routes = new Map();
  const source = readFileSync('src/router.tsx', 'utf8');
  for (const [, name, body] of source.matchAll(/^const (\w+) = createRoute\(\{\n(.*?)\n\}\);/gms)) {
    const [, above] = /getParentRoute: \(\) => (\w+)/.exec(body) ?? [];
    const [, path, texts] = /page\(\s*\(\) => import\('\.\/([^']+)'\),\s*'\w+'([^)]*)\)/.exec(body) ?? [];
    const features = [...(texts ?? '').matchAll(/'(\w+)'/g)].map(
      ([, feature]) => `${TEXTS}/${language}/${feature}.ts`,
    );
    routes.set(name, { above, modules: path ? [`src/${path}.tsx`, ...features] : [] });
  }
  const modulesOf = (name) => {
    const route = routes.get(name);
    return route ? [...modulesOf(route.above), ...route.modules] : [];
  };
  return [...routes.keys()]
    .filter((name) => routes.get(name).modules.length > 0)
    .map((name) => [name, modulesOf(name)]);
}

const firstLoads = new Map(
  LANGUAGES.map((language) => [language, filesOf([...FIRST_PAGES, `${TEXTS}/${language}/index.ts`])]),
);
const largestOf = (sizesByLanguage) => sizesByLanguage.reduce((a, b) => (b[1] > a[1] ? b : a));
for (const file of [...new Set([...firstLoads.values()].flatMap((files) => [...files]))].sort(
  (a, b) => sizeOf(b) - sizeOf(a),
)) {
  if (sizeOf(file) >= LISTED_FILE_KB_MIN) line(sizeOf(file), file);
}
for (const [language, files] of firstLoads)
  line(sum(files), `first load in ${files.size} files, of at most ${FIRST_LOAD_KB_MAX} (${language})`);
const firstLoad = largestOf([...firstLoads].map(([language, files]) => [language, sum(files)]))[1];

const worker = sizeOf('sw.js');
line(worker, `the service worker, of at most ${WORKER_KB_MAX}`);

const lazy = new Set(manifest['index.html'].dynamicImports.filter((key) => key.endsWith('Page.tsx')));
/** What each page loads in addition, by language. */
const more = new Map();
for (const [language, first] of firstLoads) {
  for (const [name, modules] of pages(language)) {
    for (const module of modules) lazy.delete(module);
    const size = sum([...filesOf(modules)].filter((file) => !first.has(file)));
    more.set(name, [...(more.get(name) ?? []), [language, size]]);
  }
}
let largest = 0;
for (const [name, byLanguage] of more) {
  const [language, size] = largestOf(byLanguage);
  largest = Math.max(largest, size);
  if (size >= LISTED_PAGE_KB_MIN) line(size, `more for the page ${name} (${language})`);
}
if (lazy.size > 0) throw new Error(`These pages were not found in router.tsx: ${[...lazy].join(', ')}.`);
line(largest, `more for the largest page, of at most ${PAGE_KB_MAX}`);
if (firstLoad > FIRST_LOAD_KB_MAX || largest > PAGE_KB_MAX || worker > WORKER_KB_MAX) process.exit(1);
