/** What a website shows of Frontdesk: the chat, and a form in a frame. */
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually, useScene } from './scene';
import { useWebsites } from './websites';

/** One red pixel. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const scene = useScene();
const website = useWebsites();

describe('the chat', () => {
  let page: Page;
  let shop = '';
  const launcher = () => page.getByRole('button', { name: 'Chat with us' });
  const panel = () => page.getByRole('dialog', { name: 'Chat with us' });

  beforeAll(async () => {
    const { server } = scene;
    await server.silenceAssistants();
    const connected = server.cli('--json', 'channel', 'connect', '--channel', 'web_chat');
    const { connection_id: id } = JSON.parse(connected) as { connection_id: string };
    shop = await website(() => `<script src="${server.url}/widget.js" data-connection="${id}"></script>`);
  });

  // Every test has a visitor of its own.
  beforeEach(async () => {
    page = await scene.open();
    await page.goto(shop);
  });

  /** The visitor asks, and the business sends a picture. */
  async function receivePicture(): Promise<void> {
    const { server } = scene;
    const known = await conversations();
    await launcher().click();
    await panel().getByLabel('Your message').fill('What does it look like?');
    await page.keyboard.press('Enter');
    const found = await eventually(conversations, (now) => now.length > known.length);
    const conversation = found.find(({ id }) => known.every((one) => one.id !== id));
    const file = new FormData();
    file.append('file', new Blob([Buffer.from(PICTURE, 'base64')], { type: 'image/png' }), 'table.png');
    const uploaded = await fetch(`${server.url}/api/v1/media`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}` },
      body: file,
    });
    const { data } = (await uploaded.json()) as { data: { url: string } };
    await server.api('POST', '/messages', {
      type: 'media',
      to: { conversation_id: conversation?.id },
      media: { kind: 'image', url: data.url, caption: 'Like this' },
    });
    await panel().getByText('Like this').waitFor();
  }
  const conversations = () =>
    scene.server.api<Array<{ id: string }>>('GET', '/conversations?channel=web_chat');

  it('hides its launcher while it is open, and gives the focus back to it', async () => {
    await launcher().focus();
    await page.keyboard.press('Enter');
    await panel().waitFor();
    expect(await launcher().isVisible()).toBe(false);
    await page.keyboard.press('Escape');
    await panel().waitFor({ state: 'hidden' });
    await launcher().waitFor();
    const inside = await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.className);
    expect(inside).toBe('launch');
  });

  it('shows pictures where they were sent', async () => {
    await receivePicture();
    const picture = panel().getByRole('img', { name: 'Open the image' });
    await picture.waitFor();
    await expect.poll(() => picture.evaluate((shown: HTMLImageElement) => shown.naturalWidth)).toBe(1);
  });

  it('shows a link to a picture that does not load', async () => {
    await receivePicture();
    await page.route('**/media/**', (route) => route.fulfill({ status: 404, body: '' }));
    await page.reload();
    await launcher().click();
    await panel().getByRole('link', { name: 'Open the image' }).waitFor();
    expect(await panel().getByRole('img').count()).toBe(0);
  });

  it('fills a phone, and leaves no launcher above it', async () => {
    await page.setViewportSize({ width: 360, height: 640 });
    await launcher().click();
    await panel().waitFor();
    expect(await panel().boundingBox()).toEqual({ x: 0, y: 0, width: 360, height: 640 });
    expect(await launcher().isVisible()).toBe(false);
  });
});

describe('a form in a frame', () => {
  /** A website, and a form that it may show or not. */
  async function shop(allowed: (origin: string) => string[]): Promise<Page> {
    let url = '';
    const origin = await website(() => `<iframe src="${url}"></iframe>`);
    const options = allowed(origin).flatMap((one) => ['--allow-origin', one]);
    const made = scene.server.cli(...['--json', 'form', 'create', '--name', 'Contact us'], ...options);
    url = (JSON.parse(made) as { url: string }).url;
    const page = await scene.open();
    await page.goto(origin);
    return page;
  }

  it('is filled in and sent on a website that the account allows', async () => {
    const page = await shop((origin) => [origin]);
    const frame = page.frameLocator('iframe');
    await frame.getByLabel('Email').fill('cy@example.com');
    await frame.getByLabel('Message').fill('Do you ship to Norway?');
    await frame.getByRole('button', { name: 'Send' }).click();
    await frame.getByRole('heading', { name: 'Thank you' }).waitFor();
    const [inquiry] = await scene.server.api<Array<{ email: string }>>('GET', '/inquiries');
    expect(inquiry?.email).toBe('cy@example.com');
  });

  it.each([
    ['that is not on the list', ['https://example.com']],
    ['when there is no list', []],
  ])('is not shown on a website %s', async (_, origins) => {
    const refused: string[] = [];
    const page = await shop(() => origins);
    page.on('console', (message) => refused.push(message.text()));
    await page.reload();
    await expect.poll(() => refused.join(' ')).toContain('frame-ancestors');
    expect(await page.frameLocator('iframe').getByLabel('Message').count()).toBe(0);
    // The refusal is what was wanted.
    scene.problems.splice(
      0,
      scene.problems.length,
      ...scene.problems.filter((one) => !one.includes('frame-ancestors')),
    );
  });
});
