// Writes a Brotli and a gzip variant beside every text file of the build. The server sends the one
// that the browser takes; small files are not worth it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const BYTES_MIN = 512;
const TEXT = /\.(js|css|svg|html)$/;

const directory = process.argv[2];
for (const name of readdirSync(directory, { recursive: true })) {
  if (!TEXT.test(name)) continue;
  const path = join(directory, name);
  const text = readFileSync(path);
  if (text.length < BYTES_MIN) continue;
  writeFileSync(
    `${path}.br`,
    brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: text.length } }),
  );
  writeFileSync(`${path}.gz`, gzipSync(text, { level: 9 }));
}
