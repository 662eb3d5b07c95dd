/**
 * How fast the inbox is with ten thousand conversations and fifty streams: run by `make bench`, against an optimised
 * server on an otherwise idle machine.
 */
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { useScene } from './scene';

const CONVERSATIONS = Number(process.env.FRONTDESK_BENCH_CONVERSATIONS ?? 10_000);
const CONTACTS = Number(process.env.FRONTDESK_BENCH_CONTACTS ?? 100_000);
const STREAMS = 50;
const WRITERS = 8;
const IMPORT_ROWS = 500;
const SAMPLES = 60;
const SWITCH_P95_MS_MAX = 100;
const ARRIVAL_P95_MS_MAX = 200;
const FILL_MS_MAX = 600_000;

const scene = useScene();
let page: Page;
const streams = new AbortController();

const phoneOf = (index: number) => `+1202${5_000_000 + index}`;

function percentile(times: number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? Number.NaN;
}

function report(what: string, times: number[]): number {
  const p95 = percentile(times, 0.95);
  process.stdout.write(`${what}: p50 ${percentile(times, 0.5).toFixed(0)} ms, p95 ${p95.toFixed(0)} ms\n`);
  return p95;
}

beforeAll(async () => {
  const { server } = scene;
  for (const { id } of await server.api<Array<{ id: string }>>('GET', '/assistants')) {
    await server.api('PATCH', `/assistants/${id}`, { enabled: false });
  }
  page = await scene.owner();
  const headers = { origin: server.url };
  for (let made = 0; made < CONTACTS; made += IMPORT_ROWS) {
    const rows = Array.from({ length: Math.min(IMPORT_ROWS, CONTACTS - made) }, (_, at) => ({
      line: at + 2,
      name: `Contact ${made + at}`,
      phone: `+1303${5_000_000 + made + at}`,
    }));
    const data = { dry_run: false, match_by: 'phone', update_existing: false, rows };
    const answer = await page.request.post('/app/api/contacts/import', {
      data,
      headers: { ...headers, 'idempotency-key': `import-${made}` },
    });
    if (!answer.ok()) throw new Error(await answer.text());
  }
  let next = 0;
  const write = async () => {
    while (next < CONVERSATIONS) {
      const at = next;
      next += 1;
      await server.customerSays(phoneOf(at), { name: `Customer ${at}`, text: `Message number ${at}.` });
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  for (let opened = 0; opened < STREAMS; opened += 1) {
    const stream = await fetch(`${server.url}/app/api/stream`, {
      headers: { cookie },
      signal: streams.signal,
    });
    void stream.text().catch(() => undefined);
  }
  await page.goto('/app/inbox');
  await page
    .getByRole('link', { name: /^Customer \d+$/ })
    .first()
    .click();
  await page.getByLabel('Reply to the customer').waitFor();
  return () => streams.abort();
}, FILL_MS_MAX);

it('switches conversations', async () => {
  const times = await page.evaluate(async (samples) => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const times: number[] = [];
    (document.activeElement as HTMLElement | null)?.blur();
    for (let sample = 0; sample < samples; sample += 1) {
      const heading = () => document.querySelector('section h1')?.textContent ?? '';
      const before = heading();
      const began = performance.now();
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', code: 'KeyJ', bubbles: true }));
      // Until the next customer's own message is in the thread.
      for (;;) {
        await frame();
        const number = /\d+/.exec(heading())?.[0];
        const words = [...document.querySelectorAll('article')]
          .map((article) => article.textContent)
          .join(' ');
        if (heading() !== before && words.includes(`number ${number}.`)) break;
        if (performance.now() - began > 5_000) throw new Error(`stuck at ${before}`);
      }
      times.push(performance.now() - began);
      await new Promise((done) => setTimeout(done, 200));
    }
    return times;
  }, SAMPLES);
  expect(report('switching conversations', times)).toBeLessThan(SWITCH_P95_MS_MAX);
});

it('shows what a customer writes', async () => {
  const times: number[] = [];
  // The list at its top, where a conversation goes when its customer writes.
  await page.goto('/app/inbox');
  await page
    .getByRole('link', { name: /^Customer \d+$/ })
    .first()
    .waitFor();
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const words = `Sample ${sample} of the speed.`;
    const shown = page.evaluate(
      (text) =>
        new Promise<number>((done) => {
          const look = () =>
            document.body.textContent?.includes(text) ? done(Date.now()) : requestAnimationFrame(look);
          look();
        }),
      words,
    );
    const began = Date.now();
    await scene.server.customerSays(phoneOf(sample), { text: words });
    times.push((await shown) - began);
  }
  expect(report('a message on screen', times)).toBeLessThan(ARRIVAL_P95_MS_MAX);
});
