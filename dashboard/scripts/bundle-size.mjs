// Fails when the scripts of the first load come to more than the budget, compressed as the server
// sends them (gzip). Counted: the entry of index.html, the shell, the inbox, an open conversation
// and the English messages, each with everything it imports statically.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const FIRST_LOAD_KB_MAX = 220;
const FIRST_PAGES = [
  'index.html',
  'src/shell/Shell.tsx',
  'src/inbox/InboxPage.tsx',
  'src/inbox/ConversationPage.tsx',
  'src/i18n/en/index.ts',
];

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

const LISTED_KB_MIN = 2;
const sizes = [...counted].map((file) => {
  const text = readFileSync(join(directory, file));
  return {
    file,
    size: gzipSync(text, { level: 9 }).length / 1000,
  };
});
const sum = sizes.reduce((total, { size }) => total + size, 0);
for (const { file, size } of sizes.sort((a, b) => b.size - a.size)) {
  if (size >= LISTED_KB_MIN) process.stdout.write(`${size.toFixed(1).padStart(8)} KB  ${file}\n`);
}
process.stdout.write(
  `${sum.toFixed(1).padStart(8)} KB  first load in ${sizes.length} files, of at most ${FIRST_LOAD_KB_MAX}\n`,
);
if (sum > FIRST_LOAD_KB_MAX) process.exit(1);
