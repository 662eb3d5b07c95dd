/** The TypeScript SDK, bundled as a website would, on a page of another origin. */
import { resolve } from 'node:path';
import { build, type Rolldown } from 'vite';
import { expect, it } from 'vitest';
import type * as Sdk from '../../sdk/typescript/src/index';
import { useScene } from './scene';
import { useWebsites } from './websites';

/** What the bundle leaves on the page. */
declare const frontdesk: typeof Sdk;

const website = useWebsites();
let origin = '';
const scene = useScene(undefined, async () => {
  origin = await website(() => '');
  return { FRONTDESK_CORS_ORIGINS: origin };
});

async function bundle(): Promise<string> {
  const built = await build({
    root: resolve(import.meta.dirname, '../../sdk/typescript'),
    configFile: false,
    logLevel: 'error',
    build: { write: false, lib: { entry: 'src/index.ts', formats: ['iife'], name: 'frontdesk' } },
  });
  const [made] = built as Rolldown.RolldownOutput[];
  return made?.output[0].code ?? '';
}

it('writes, lists, is refused and follows events', async () => {
  const page = await scene.open();
  await page.goto(origin);
  await page.addScriptTag({ content: await bundle() });
  const { url: baseUrl, key: apiKey } = scene.server;
  const done = await page.evaluate(
    async (options) => {
      const client = new frontdesk.Frontdesk(options);
      const first = await client.contacts.create({ name: 'Page one' });
      const [event] = (await client.events.list({ event_type: 'contact.created' }).page()).data;
      await client.contacts.create({ name: 'Page two' });

      const listed: Array<string | null> = [];
      // One on each page of the list.
      for await (const { name } of client.contacts.list({ q: 'page', limit: 1 })) listed.push(name);

      const text = { type: 'text', to: { phone: '+14155550178' }, text: 'Hello' } as const;
      const refusal = await client.messages.send(text).then(
        () => 'sent',
        (error: unknown) =>
          error instanceof frontdesk.UnprocessableError && [error.status, error.reason, error.requestId],
      );

      const followed: Array<string | null> = [];
      for await (const event_ of client.events.stream({ after: event?.event_id ?? '' })) {
        if (event_.event_type !== 'contact.created') continue;
        followed.push(event_.data.contact.name);
        if (followed.length === 2) break;
        // The stream is open by now.
        await client.contacts.create({ name: 'Page three' });
      }
      return { first: first.name, listed, refusal, followed, remaining: client.rateLimit?.remaining };
    },
    { baseUrl, apiKey },
  );
  expect(new URL(baseUrl).origin).not.toBe(origin);
  expect(done.first).toBe('Page one');
  expect(done.listed.toSorted()).toEqual(['Page one', 'Page two']);
  expect(done.refusal).toEqual([422, 'outside_window', expect.stringMatching(/^req_/)]);
  expect(done.followed).toEqual(['Page two', 'Page three']);
  // Headers that a page may read only if the server says so.
  expect(done.remaining).toBeGreaterThan(0);
});
