import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const DIST = fileURLToPath(new URL('./dist', import.meta.url));
/** What is needed to show the page without a connection: the first load, in every language. */
const SHELL = [
  'index.html',
  'src/shell/Shell.tsx',
  'src/inbox/InboxPage.tsx',
  'src/inbox/ConversationPage.tsx',
  'src/i18n/en/index.ts',
  'src/i18n/de/index.ts',
];

interface Chunk {
  file: string;
  css?: string[];
  imports?: string[];
}

/** The files of the shell, from the build of the pages, which must be there. */
function shellFiles(): string[] {
  const manifest = JSON.parse(readFileSync(`${DIST}/.vite/manifest.json`, 'utf8')) as Record<string, Chunk>;
  const files = new Set<string>();
  const add = (key: string) => {
    const chunk = manifest[key];
    if (!chunk) throw new Error(`${key} is not in the manifest of the build.`);
    if (files.has(chunk.file)) return;
    files.add(chunk.file);
    for (const style of chunk.css ?? []) files.add(style);
    for (const imported of chunk.imports ?? []) add(imported);
  };
  for (const module of SHELL) add(module);
  return [...files].sort();
}

const files = shellFiles();
const version = createHash('sha256')
  .update(files.join('\n'))
  .update(readFileSync(`${DIST}/index.html`))
  .digest('hex')
  .slice(0, 12);

// The service worker is one script without imports at a fixed address, so it is a build of its own after that of the pages.
export default defineConfig({
  base: '/app/',
  publicDir: false,
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  define: { __SHELL_FILES__: JSON.stringify(files), __SHELL_VERSION__: JSON.stringify(version) },
  build: {
    emptyOutDir: false,
    modulePreload: false,
    rolldownOptions: {
      input: 'src/worker/sw.ts',
      output: { format: 'iife', entryFileNames: 'sw.js' },
    },
  },
});
