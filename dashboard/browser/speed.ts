/**
 * How fast the inbox is with ten thousand conversations, a hundred thousand contacts and fifty members: run by
 * `make bench` on each engine, against an optimised server on an otherwise idle machine.
 */
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { PASSWORD, useScene } from './scene';
import type { Server } from './server';

const CONVERSATIONS = Number(process.env.FRONTDESK_BENCH_CONVERSATIONS ?? 10_000);
const CONTACTS = Number(process.env.FRONTDESK_BENCH_CONTACTS ?? 100_000);
const MEMBERS = 50;
const WRITERS = 8;
const IMPORT_ROWS = 500;
const SAMPLES = 100;
/** Rows from the open conversation to one that the page has not read ahead. */
const JUMP = 5;
const SWITCH_P95_MS_MAX = 100;
const ARRIVAL_P95_MS_MAX = 200;
const FILL_MS_MAX = 900_000;
/** A slow machine gets a figure, not a time-out. */
const MEASURE_MS_MAX = 300_000;
/** Between two samples: a member looks at what has come. */
const PAUSE_MS = 200;

const phoneOf = (index: number) => `+1202${5_000_000 + index}`;
const pause = () => new Promise((done) => setTimeout(done, PAUSE_MS));

function percentile(times: number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? Number.NaN;
}

function report(what: string, times: number[]): number {
  const p95 = percentile(times, 0.95);
  process.stdout.write(`${what}: p50 ${percentile(times, 0.5).toFixed(0)} ms, p95 ${p95.toFixed(0)} ms\n`);
  return p95;
}

/** A new member signs in. Returns the cookie. */
async function join(server: Server, number: number): Promise<string> {
  const email = `member${number}@example.com`;
  await server.setPassword(server.invite(`Member ${number}`, email), PASSWORD);
  return server.signIn(email, PASSWORD);
}

/** Imports contacts as the page does. */
async function importContacts(page: Page, origin: string): Promise<void> {
  for (let made = 0; made < CONTACTS; made += IMPORT_ROWS) {
    const rows = Array.from({ length: Math.min(IMPORT_ROWS, CONTACTS - made) }, (_, at) => ({
      line: at + 2,
      name: `Contact ${made + at}`,
      phone: `+1303${5_000_000 + made + at}`,
    }));
    const answer = await page.request.post('/app/api/contacts/import', {
      data: { dry_run: false, match_by: 'phone', update_existing: false, rows },
      headers: { origin, 'idempotency-key': `import-${made}` },
    });
    if (!answer.ok()) throw new Error(await answer.text());
  }
}

/** Every customer writes once. */
async function fillInbox(server: Server): Promise<void> {
  let next = 0;
  const write = async () => {
    while (next < CONVERSATIONS) {
      const at = next;
      next += 1;
      await server.customerSays(phoneOf(at), { name: `Customer ${at}`, text: `Message number ${at}.` });
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
}

/** Fills an installation, and measures its inbox. The page is open all the while, as an agent's is. */
export function measureInbox(engine: string, database?: string): void {
  const scene = useScene(database);
  const streams = new AbortController();
  let page: Page;

  beforeAll(async () => {
    const { server } = scene;
    await server.silenceAssistants();
    page = await scene.owner();
    for (let number = 1; number <= MEMBERS; number += 1) {
      const cookie = await join(server, number);
      const headers = { cookie };
      const stream = await fetch(`${server.url}/app/api/stream`, { headers, signal: streams.signal });
      void stream.body?.pipeTo(new WritableStream()).catch(() => undefined);
    }
    await importContacts(page, server.url);
    await fillInbox(server);
    await page.goto('/app/inbox');
    const first = page.getByRole('link', { name: /^Customer \d+$/ }).first();
    await first.click();
    await page.getByLabel('Reply to the customer').waitFor();
    return () => streams.abort();
  }, FILL_MS_MAX);

  it.each([
    ['the next conversation by its key', 1],
    ['a conversation that was not read ahead', JUMP],
  ])(
    'opens %s',
    async (what, rowsAhead) => {
      const options = { rowsAhead, samples: SAMPLES, pauseMs: PAUSE_MS };
      const times = await page.evaluate(switchConversations, options);
      expect(report(`${engine}: opening ${what}`, times)).toBeLessThan(SWITCH_P95_MS_MAX);
    },
    MEASURE_MS_MAX,
  );

  it(
    'shows what a customer writes',
    async () => {
      const times: number[] = [];
      // The list at its top, where a conversation goes when its customer writes.
      await page.goto('/app/inbox');
      await page
        .getByRole('link', { name: /^Customer \d+$/ })
        .first()
        .waitFor();
      for (let sample = 0; sample < SAMPLES; sample += 1) {
        const words = `Sample ${sample} of the speed.`;
        const shown = page.evaluate(whenShown, words);
        const began = Date.now();
        await scene.server.customerSays(phoneOf(sample), { text: words });
        times.push((await shown) - began);
        await pause();
      }
      expect(report(`${engine}: a message on screen`, times)).toBeLessThan(ARRIVAL_P95_MS_MAX);
    },
    MEASURE_MS_MAX,
  );
}

/**
 * In the page: opens conversations, each until its own message is in the thread. The next one by its key; one further
 * on by a click, without the pointer over it before.
 */
async function switchConversations({
  rowsAhead,
  samples,
  pauseMs,
}: {
  rowsAhead: number;
  samples: number;
  pauseMs: number;
}): Promise<number[]> {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const heading = () => document.querySelector('section h1')?.textContent ?? '';
  const further = () => {
    const links = [...document.querySelectorAll<HTMLElement>('section a[href*="/inbox/"]')];
    const at = links.findIndex((link) => link.hasAttribute('aria-current'));
    return links[at + rowsAhead];
  };
  const times: number[] = [];
  (document.activeElement as HTMLElement | null)?.blur();
  for (let sample = 0; sample < samples; sample += 1) {
    const before = heading();
    const began = performance.now();
    if (rowsAhead > 1) further()?.click();
    else document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', code: 'KeyJ', bubbles: true }));
    for (;;) {
      await frame();
      const number = /\d+/.exec(heading())?.[0];
      const words = [...document.querySelectorAll('article')].map((article) => article.textContent).join(' ');
      if (heading() !== before && words.includes(`number ${number}.`)) break;
      if (performance.now() - began > 5_000) throw new Error(`stuck at ${before}`);
    }
    times.push(performance.now() - began);
    await new Promise((done) => setTimeout(done, pauseMs));
  }
  return times;
}

/** In the page: the time at which a text is shown. */
function whenShown(text: string): Promise<number> {
  return new Promise((done) => {
    const look = () =>
      document.body.textContent?.includes(text) ? done(Date.now()) : requestAnimationFrame(look);
    look();
  });
}
