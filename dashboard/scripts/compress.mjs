// Replaces every script, style and picture of the build by its gzip form. The binary contains only that; the server
// decompresses it for the few clients that do not accept gzip. Small files are not worth it.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const BYTES_MIN = 512;
const COMPRESSED = /\.(js|css|svg)$/;

const directory = process.argv[2];
// What only the build itself needs.
rmSync(join(directory, '.vite'), { recursive: true, force: true });
for (const name of readdirSync(directory, { recursive: true })) {
  if (!COMPRESSED.test(name)) continue;
  const path = join(directory, name);
  const text = readFileSync(path);
  if (text.length < BYTES_MIN) continue;
  writeFileSync(`${path}.gz`, gzipSync(text, { level: 9 }));
  rmSync(path);
}
