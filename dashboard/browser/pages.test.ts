/** Every page, light and dark: nothing that axe finds serious, and nothing wider than a narrow phone. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { seriousFindings } from './axe';
import { PAGES } from './pages';
import { eventually, useScene } from './scene';

const ANN = '+4915112345601';
const SETTLE_MS = 200;
const PHONE = { width: 360, height: 740 };

const scene = useScene();
const paths: Record<string, string> = { ...PAGES };

beforeAll(async () => {
  const { server } = scene;
  const tag = await server.api('POST', '/tags', { name: 'VIP', color: '#b45309' });
  const contact = await server.api('POST', '/contacts', { name: 'Ann Weber', phone: ANN, tag_ids: [tag.id] });
  await server.customerSays(ANN, {
    text: 'See https://shop.example.com/table?size=very-long-address-that-does-not-break',
  });
  await server.customerSays(ANN, { media: { kind: 'image' } });
  const deal = await server.api('POST', '/deals', {
    title: 'Oak table',
    value: 4_200,
    currency: 'EUR',
    contact_id: contact.id,
    ...(await server.firstStage()),
  });
  const inquiry = await server.api('POST', '/inquiries', {
    name: 'Jo Park',
    email: 'jo@example.com',
    message: 'A quote for twelve desks, please.',
  });
  await server.api('POST', '/custom-fields', { name: 'Order number', type: 'text' });
  await server.api('POST', '/canned-replies', { shortcut: 'hours', body: 'We open at nine.' });
  const [conversation] = await server.api<Array<{ id: string }>>('GET', '/conversations');
  paths.conversation = `/inbox/${conversation?.id}`;
  paths.contact = `/contacts/${contact.id}`;
  paths.deal = `/deals/${deal.id}`;
  paths.inquiry = `/inquiries/${inquiry.id}`;
  const [run] = await eventually(
    () => server.api<Array<{ id: string }>>('GET', '/runs'),
    (runs) => runs.length > 0,
  );
  paths.run = `/runs/${run?.id}`;
});

/** Goes to a page and waits until it has everything. */
async function visit(page: Page, path: string): Promise<void> {
  await page.goto(`/app${path}`);
  await page.locator('main').waitFor();
  await page.getByText('Loading…').first().waitFor({ state: 'hidden' });
  await page.waitForTimeout(SETTLE_MS);
}

describe.each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
  it('has no serious finding on any page', async () => {
    const page = await scene.owner({ colorScheme });
    const found: Record<string, string[]> = {};
    for (const [name, path] of Object.entries(paths)) {
      await visit(page, path);
      const findings = await seriousFindings(page);
      if (findings.length > 0) found[name] = findings;
    }
    expect(found).toEqual({});
  }, 120_000);

  it('has no serious finding before sign-in', async () => {
    const page = await scene.open({ colorScheme });
    for (const path of ['/app/sign-in', '/app/password#token=none', '/app/password', '/app/nowhere']) {
      await page.goto(path);
      await page.getByRole('heading').first().waitFor();
      expect(await seriousFindings(page)).toEqual([]);
    }
  });
});

it('fits a narrow phone', async () => {
  const page = await scene.owner({ viewport: PHONE, isMobile: true, hasTouch: true });
  const wide: string[] = [];
  for (const [name, path] of Object.entries(paths)) {
    await visit(page, path);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    if (width > PHONE.width) wide.push(`${name}: ${width}`);
  }
  expect(wide).toEqual([]);
});

it('speaks German as well', async () => {
  const page = await scene.open({ locale: 'de-DE' });
  await page.goto('/app');
  await page.getByRole('button', { name: 'Anmelden' }).waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe('de');
});
