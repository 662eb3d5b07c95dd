import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const COMPRESSED_BYTES_MAX = 7_500;

const entry = fileURLToPath(new URL("../dist/index.js", import.meta.url));

test("the whole package is small, and needs nothing but what a browser has", async (context) => {
  // For a browser, an import of a module of Node.js would fail.
  const built = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    write: false,
  });
  const size = gzipSync(built.outputFiles[0].contents).length;
  context.diagnostic(`${size} bytes compressed`);
  assert.ok(size < COMPRESSED_BYTES_MAX, `${size} bytes`);
  const told = /(\d+) KB compressed/.exec(readFileSync(new URL("../../../docs/sdks.md", import.meta.url), "utf8"));
  assert.equal(told?.[1], String(Math.round(size / 1000)), "docs/sdks.md tells another size");
});

test("the package depends on nothing, and tells its own version", async () => {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  assert.equal(manifest.dependencies, undefined);
  assert.equal((await import(entry)).VERSION, manifest.version);
});
