// Fails when scripts come to more than their budget, compressed as the server sends them (gzip): those of the first
// load, and those that a page loads in addition.
//
// The first load is the entry of index.html, the shell, the inbox, an open conversation and the first English texts. A
// page is a route of router.tsx with the routes above it and the English texts that it names. Each is counted with
// everything it imports statically.
import { readFileSync } from 'node:fs';
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
  'src/i18n/en/index.ts',
];

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

/** The pages of the router: their modules, with those of the routes above them. */
function pages() {
  const routes = new Map();
  const source = readFileSync('src/router.tsx', 'utf8');
  for (const [, name, body] of source.matchAll(/^const (\w+) = createRoute\(\{\n(.*?)\n\}\);/gms)) {
    const [, above] = /getParentRoute: \(\) => (\w+)/.exec(body) ?? [];
    const [, path, texts] = /page\(\s*\(\) => import\('\.\/([^']+)'\),\s*'\w+'([^)]*)\)/.exec(body) ?? [];
    const features = [...(texts ?? '').matchAll(/'(\w+)'/g)].map(
      ([, feature]) => `src/i18n/en/${feature}.ts`,
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

const first = filesOf(FIRST_PAGES);
for (const file of [...first].sort((a, b) => sizeOf(b) - sizeOf(a))) {
  if (sizeOf(file) >= LISTED_FILE_KB_MIN) line(sizeOf(file), file);
}
line(sum(first), `first load in ${first.size} files, of at most ${FIRST_LOAD_KB_MAX}`);

const worker = sizeOf('sw.js');
line(worker, `the service worker, of at most ${WORKER_KB_MAX}`);

const lazy = new Set(manifest['index.html'].dynamicImports.filter((key) => key.endsWith('Page.tsx')));
let largest = 0;
for (const [name, modules] of pages()) {
  for (const module of modules) lazy.delete(module);
  const more = sum([...filesOf(modules)].filter((file) => !first.has(file)));
  largest = Math.max(largest, more);
  if (more >= LISTED_PAGE_KB_MIN) line(more, `more for the page ${name}`);
}
if (lazy.size > 0) throw new Error(`These pages were not found in router.tsx: ${[...lazy].join(', ')}.`);
line(largest, `more for the largest page, of at most ${PAGE_KB_MAX}`);
if (sum(first) > FIRST_LOAD_KB_MAX || largest > PAGE_KB_MAX || worker > WORKER_KB_MAX) process.exit(1);
