/** What one person changes, a second one sees without a reload: also what no event reports. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { eventually, useScene } from './scene';

const scene = useScene();
let owner: Page;
/** An admin who only looks. */
let ada: Page;
/** Requests of the admin's page, to see that it does not ask by the clock. */
const asked: string[] = [];

beforeAll(async () => {
  await scene.server.silenceAssistants();
  owner = await scene.owner();
  ada = await scene.member('Ada Admin', 'ada@example.com', 'admin');
  ada.on('request', (request) => asked.push(new URL(request.url()).pathname));
});

/** Marks the page, so that a reload would be noticed. */
async function look(path: string): Promise<void> {
  await ada.goto(path);
  await ada.evaluate(() => document.body.setAttribute('data-seen', 'yes'));
}

async function wasNotReloaded(): Promise<void> {
  expect(await ada.evaluate(() => document.body.getAttribute('data-seen'))).toBe('yes');
}

it('shows a change of an assistant', async () => {
  const { id } = await scene.server.api<{ id: string }>('POST', '/assistants', { name: 'Iris' });
  await look('/app/assistants');
  await ada.getByRole('link', { name: /^Iris/ }).waitFor();
  await owner.goto(`/app/assistants/${id}`);
  await owner.getByLabel('Name', { exact: true }).first().fill('Ida');
  await owner.keyboard.press('Control+s');
  await ada.getByRole('link', { name: /^Ida/ }).waitFor();
  await wasNotReloaded();
});

it('shows a new trigger, and its new name', async () => {
  const [assistant] = await scene.server.api<Array<{ id: string }>>('GET', '/assistants');
  await look('/app/triggers');
  const body = {
    name: 'Say thanks',
    goal: 'Thank the customer.',
    assistant_id: assistant?.id,
    kind: 'webhook',
  };
  const { trigger } = await scene.server.api<{ trigger: { id: string } }>('POST', '/triggers', body);
  await ada.getByRole('link', { name: /Say thanks/ }).waitFor();
  await scene.server.api('PATCH', `/triggers/${trigger.id}`, { name: 'Say goodbye' });
  await ada.getByRole('link', { name: /Say goodbye/ }).waitFor();
  await wasNotReloaded();
});

it('shows a new tag and a new form', async () => {
  await look('/app/settings/tags');
  await owner.goto('/app/settings/tags');
  await scene.server.api('POST', '/tags', { name: 'Wholesale' });
  await ada.getByText('Wholesale').first().waitFor();
  await owner.getByText('Wholesale').first().waitFor();
  await wasNotReloaded();

  await look('/app/settings/forms');
  await ada.getByRole('heading', { name: 'Forms', level: 1 }).waitFor();
  await owner.evaluate(async () => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'Ask for a quote' });
    await fetch('/app/api/admin/forms', { method: 'POST', headers, body });
  });
  await ada.getByText('Ask for a quote').first().waitFor();
  await wasNotReloaded();
});

it('shows an inquiry and an opt-out on the open page of a contact', async () => {
  const { id, name, phone } = await scene.customer();
  await look(`/app/contacts/${id}`);
  await ada.getByRole('heading', { name: 'Timeline' }).waitFor();
  await scene.server.api('POST', '/inquiries', { name, phone, message: 'A quote for twelve desks, please.' });
  await ada.getByText('A quote for twelve desks, please.').waitFor();
  await owner.goto(`/app/contacts/${id}`);
  await owner.getByRole('button', { name: 'More actions' }).click();
  await owner.getByRole('menuitem', { name: 'Opt out of broadcasts' }).click();
  await ada.getByText('Opted out of broadcasts').first().waitFor();
  await wasNotReloaded();
});

it('shows a new inquiry, pipeline, canned reply, key and member in their lists', async () => {
  const { server } = scene;
  /** What the owner's page would do in a dialog. */
  const asOwner = (path: string, body: object) =>
    owner.evaluate(
      async ([path, body]) => {
        const headers = { 'content-type': 'application/json' };
        const { ok, status } = await fetch(path, { method: 'POST', headers, body });
        if (!ok) throw new Error(`${path}: ${status}`);
      },
      [path, JSON.stringify(body)] as const,
    );
  const lists: Array<[path: string, heading: string, add: () => Promise<unknown>, shown: string]> = [
    [
      '/app/inquiries',
      'Inquiries',
      () => server.api('POST', '/inquiries', { email: 'jo@example.com', message: 'Twelve desks?' }),
      'Twelve desks?',
    ],
    [
      '/app/settings/pipelines',
      'Pipelines',
      () => server.api('POST', '/pipelines', { name: 'Repairs', stages: [{ name: 'Broken' }] }),
      'Repairs',
    ],
    [
      '/app/settings/canned-replies',
      'Canned replies',
      () => server.api('POST', '/canned-replies', { shortcut: 'opening', body: 'We open at nine.' }),
      'We open at nine.',
    ],
    [
      '/app/developers/keys',
      'API keys',
      () => asOwner('/app/api/admin/keys', { name: 'Till', scopes: ['contacts:read'] }),
      'Till',
    ],
    [
      '/app/settings/members',
      'Members',
      () => asOwner('/app/api/admin/members', { name: 'Nora New', email: 'nora@example.com', role: 'agent' }),
      'Nora New',
    ],
  ];
  for (const [path, heading, add, shown] of lists) {
    await look(path);
    await ada.getByRole('heading', { name: heading, level: 1 }).waitFor();
    await ada.getByText('Loading…').first().waitFor({ state: 'hidden' });
    expect(await ada.getByText(shown).count()).toBe(0);
    await add();
    await ada.getByText(shown).first().waitFor();
    await wasNotReloaded();
  }
});

it('shows what a command of the operator has made', async () => {
  await look('/app/settings/forms');
  await ada.getByRole('heading', { name: 'Forms', level: 1 }).waitFor();
  const [account] = JSON.parse(scene.server.cli('--json', 'account', 'list')) as Array<{ id: string }>;
  scene.server.cli('form', 'create', '--account', account?.id ?? '', '--name', 'Made by hand');
  await ada.getByText('Made by hand').first().waitFor();
  await wasNotReloaded();
});

it('shows what changed while the connection was lost', async () => {
  await scene.server.api('POST', '/tags', { name: 'Regulars' });
  await look('/app/settings/tags');
  await ada.getByText('Regulars').first().waitFor();
  await ada.context().setOffline(true);
  await scene.server.api('POST', '/tags', { name: 'Retail' });
  await ada.context().setOffline(false);
  await ada.getByText('Retail').first().waitFor();
  await wasNotReloaded();
});

it('follows the steps of a run, and asks for nothing while nothing happens', async () => {
  const assistant = await scene.server.api<{ id: string }>('POST', '/assistants', { name: 'Nora' });
  const run = await scene.server.api<{ id: string }>('POST', '/runs', {
    assistant_id: assistant.id,
    goal: 'Say that all is well.',
  });
  await look(`/app/runs/${run.id}`);
  await ada.getByText('Say that all is well.').first().waitFor();
  await eventually(
    () => scene.server.api<{ status: string }>('GET', `/runs/${run.id}`),
    ({ status }) => status === 'succeeded' || status === 'failed',
  );
  await ada
    .getByText(/^(Succeeded|Failed)/)
    .first()
    .waitFor();
  await wasNotReloaded();

  await look('/app/assistants');
  await ada.getByRole('link', { name: /^Nora/ }).waitFor();
  // Longer than the period in which pages used to ask.
  await ada.waitForTimeout(1_500);
  asked.length = 0;
  await ada.waitForTimeout(11_000);
  expect(asked.filter((path) => !/presence|stream/.test(path))).toEqual([]);
});
