// Fails when the scripts that the first page loads come to more than the budget, compressed.
// Counted: the entry of index.html, everything it imports statically, and the inbox, which is
// the first page of a member who is signed in.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const FIRST_LOAD_KB_MAX = 220;
const FIRST_PAGES = ['index.html', 'src/shell/Shell.tsx', 'src/inbox/InboxPage.tsx', 'src/i18n/en/index.ts'];

const directory = process.argv[2];
const manifest = JSON.parse(readFileSync(join(directory, '.vite/manifest.json'), 'utf8'));

const counted = new Set();
function count(key) {
  const chunk = manifest[key];
  if (!chunk || counted.has(chunk.file)) return;
  counted.add(chunk.file);
  for (const imported of chunk.imports ?? []) count(imported);
}
for (const page of FIRST_PAGES) {
  if (!manifest[page]) throw new Error(`${page} is not in the manifest: correct FIRST_PAGES.`);
  count(page);
}

const kilobytes = (file) => gzipSync(readFileSync(join(directory, file)), { level: 9 }).length / 1000;
const sizes = [...counted].map((file) => [file, kilobytes(file)]).sort((a, b) => b[1] - a[1]);
const total = sizes.reduce((sum, [, size]) => sum + size, 0);
for (const [file, size] of sizes) process.stdout.write(`${size.toFixed(1).padStart(8)} KB  ${file}\n`);
process.stdout.write(`${total.toFixed(1).padStart(8)} KB  first load, of at most ${FIRST_LOAD_KB_MAX}\n`);
if (total > FIRST_LOAD_KB_MAX) process.exit(1);
