/** Connecting channels: WhatsApp by Meta's values, a personal number by its QR code, a web chat at once. */
import type { Page, Route } from 'playwright-core';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { seriousFindings } from './axe';
import { tabTo } from './keys';
import { eventually, useScene } from './scene';

const PHONE = { width: 390, height: 780 };
const CUSTOMER = '+4915112345688';
const PREVIEW = 'iframe[title="As visitors see it"]';

interface Connection {
  id: string;
  channel: string;
  sandbox: boolean;
}

const scene = useScene();
let page: Page;

beforeAll(async () => {
  await scene.server.silenceAssistants();
  page = await scene.owner({ permissions: ['clipboard-read', 'clipboard-write'] });
});

afterEach(() => page.unrouteAll({ behavior: 'ignoreErrors' }));

async function connectWebChat(name: string): Promise<void> {
  await page.goto('/app/settings/channels');
  await page.getByRole('link', { name: 'Connect a channel' }).first().click();
  await page.getByRole('radio', { name: /^Web chat/ }).check();
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Connect a channel' }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
}

it('checks the values of WhatsApp, shows what to enter at Meta, and says when the first message arrives', async () => {
  await page.goto('/app/settings/channels/new');
  await page.getByRole('radio', { name: /^WhatsApp/ }).check();
  await page.getByText('It is not the phone number.').waitFor();
  expect(await seriousFindings(page)).toEqual([]);

  await page.getByLabel('Phone number ID').fill('+49 151 12345678');
  await page.keyboard.press('Tab');
  await page.getByText('This looks like a phone number.').waitFor();
  await page.getByLabel('Phone number ID').fill('106540352242922');
  await page.getByLabel('WhatsApp Business account ID').fill('106540352242922');
  await page.keyboard.press('Tab');
  await page.getByText('This is the phone number ID.').waitFor();
  await page.getByLabel('WhatsApp Business account ID').fill('102290129340398');
  await page.getByLabel('Access token').fill(`EAA${'x'.repeat(100)}`);
  await page.getByLabel('App secret').fill('a1b2'.repeat(8));
  expect(await page.getByText('Looks right').count()).toBe(5);
  const token = await page.getByLabel('Verify token').inputValue();

  // Meta does not know the values, and nothing that was entered is lost.
  const refuse = (route: Route) =>
    route.request().method() === 'POST'
      ? route.fulfill({
          status: 422,
          contentType: 'application/json',
          body: JSON.stringify({
            error: {
              code: 'unprocessable',
              reason: 'channel_refused',
              message: 'The channel was asked, and the token is not valid. Check the ids and the token.',
              request_id: 'req_test',
            },
          }),
        })
      : route.continue();
  await page.route('**/admin/connections', refuse);
  await page.getByRole('button', { name: 'Connect a channel' }).click();
  await page.getByText('the token is not valid').waitFor();
  expect(await page.getByLabel('Phone number ID').inputValue()).toBe('106540352242922');
  await page.unroute('**/admin/connections', refuse);

  // Meta is not reachable from here: the sandbox's number stands for the one that was connected.
  const takeForReal = async (route: Route) => {
    const isList = route.request().method() === 'GET';
    const response = await page.request.get('/app/api/admin/connections');
    const { data, meta } = (await response.json()) as { data: Connection[]; meta: unknown };
    const number = data.find(({ channel, sandbox }) => channel === 'whatsapp' && sandbox);
    const real = data.map((one) => ({ ...one, sandbox: false }));
    await route.fulfill({ json: isList ? { data: real, meta } : { data: { ...number, sandbox: false } } });
  };
  await page.route('**/admin/connections', takeForReal);
  await page.getByRole('button', { name: 'Connect a channel' }).click();
  await page.getByRole('heading', { name: 'The last steps at Meta' }).waitFor();
  const address = await page.getByLabel('Callback URL').inputValue();
  expect(address).toMatch(new RegExp(`^${scene.server.url}/channels/whatsapp/[\\w-]+$`));
  expect(await page.getByLabel('Verify token').inputValue()).toBe(token);
  await page.getByRole('button', { name: 'Copy' }).first().click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address);

  await page.getByText('Waiting for the first message.').waitFor();
  await scene.server.customerSays(CUSTOMER, { text: 'Is anybody there?' });
  await page.getByText('The first message has arrived.').waitFor();
  await page.getByRole('link', { name: 'Open the conversation' }).click();
  await page.getByRole('log', { name: 'Messages' }).getByText('Is anybody there?').waitFor();
  await page.unroute('**/admin/connections', takeForReal);
});

it('is connected by the keyboard alone', async () => {
  await page.goto('/app/settings/channels');
  await tabTo(page.getByRole('link', { name: 'Connect a channel' }).first());
  await page.keyboard.press('Enter');
  const channels = page.getByRole('radio');
  await tabTo(channels.first());
  const webChat = page.getByRole('radio', { name: /^Web chat/ });
  for (let left = await channels.count(); left > 0 && !(await webChat.isChecked()); left -= 1) {
    await page.keyboard.press('ArrowDown');
    // The address follows the choice.
    await page.locator('input[type=radio]:focus:checked').waitFor();
  }
  await tabTo(page.getByLabel('Name'));
  await page.keyboard.type('By keys alone');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'By keys alone', level: 1 }).waitFor();
});

it('asks Meta about each value as it is entered, and holds nothing back', async () => {
  interface Known {
    id: string;
    channel: string;
    phone_number_id: string;
    waba_id: string;
  }
  const known = (await scene.server.sandbox<Known[]>('GET', '/connections')).find(
    ({ channel }) => channel === 'whatsapp',
  );
  const token = `EAA${'y'.repeat(60)}`;
  scene.server.cli('channel', 'reconnect', known?.id ?? '', '--access-token', token);
  // The sandbox answers in the place of Meta.
  const check = '**/admin/connections/check';
  await page.route(check, (route) =>
    route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), sandbox: true }) }),
  );
  await page.goto('/app/settings/channels/new?channel=whatsapp');
  const field = (label: string) => page.getByLabel(label);
  await field('Phone number ID').fill('106540352242922');
  await field('WhatsApp Business account ID').fill(known?.waba_id ?? '');
  await field('Access token').fill(`EAA${'x'.repeat(60)}`);
  await field('App secret').fill('a1b2'.repeat(8));
  await page.getByText('Meta does not know this token').waitFor();
  await field('Access token').fill(token);
  await page.keyboard.press('Tab');
  await page.getByText('The token sees no number with this ID.').waitFor();
  await page.getByText('Confirmed by Meta').first().waitFor();
  await field('Phone number ID').fill(known?.phone_number_id ?? '');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Shift+Tab');
  await field('App secret').focus();
  await page.keyboard.press('Tab');
  await page.getByText('This is not the secret of the app').waitFor();
  await eventually(
    () => page.getByText('Confirmed by Meta').count(),
    (count) => count === 3,
  );
  expect(await seriousFindings(page)).toEqual([]);

  // Meta is not reached: nothing is confirmed, and the form can be sent all the same.
  await page.unroute(check);
  await page.route(check, (route) => route.abort());
  await field('Access token').fill(`EAA${'z'.repeat(60)}`);
  await page.keyboard.press('Tab');
  await eventually(
    () => page.getByText('Confirmed by Meta').count(),
    (count) => count === 0,
  );
  expect(await page.getByRole('button', { name: 'Connect a channel' }).isEnabled()).toBe(true);
  await page.unroute(check);
});

it('says live when Meta has verified the address', async () => {
  const [account] = JSON.parse(scene.server.cli('--json', 'account', 'list')) as Array<{ id: string }>;
  const values = { '--phone-number-id': '71', '--waba-id': '72', '--access-token': 't', '--app-secret': 's' };
  const options = ['--account', account?.id ?? '', '--channel', 'whatsapp', '--verify-token', 'agreed'];
  // Nothing is reached there, because this is about what Meta calls.
  const made = scene.server.cli(
    ...['--json', 'channel', 'connect', '--name', 'Real number', '--no-check', ...options],
    ...['--graph-url', 'http://127.0.0.1:1', ...Object.entries(values).flat()],
  );
  const { connection_id: id } = JSON.parse(made) as { connection_id: string };
  await page.goto(`/app/settings/channels/${id}`);
  await page.getByText('Waiting for Meta’s first call.').waitFor();
  const address = await page.getByLabel('Callback URL').inputValue();
  const ask = (token: string) =>
    fetch(`${address}?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=7`);
  expect((await ask('wrong')).status).toBe(403);
  expect(await (await ask('agreed')).text()).toBe('7');
  await page.getByText(/^Meta has verified the address at /).waitFor();
  await page.getByText('Waiting for the first message.').waitFor();
  expect(await seriousFindings(page)).toEqual([]);
});

it('shows the QR code of a personal number at once, until the phone is linked', async () => {
  await scene.server.sandbox('PUT', '/settings', { scan: 'manual' });
  await page.goto('/app/settings/channels/new?channel=personal_whatsapp');
  await page.getByText('A personal number is linked through a bridge').waitFor();
  expect(await page.getByLabel('Command for whoever runs the server').inputValue()).toContain(
    'frontdesk channel connect --channel personal_whatsapp --bridge-url',
  );
  await page.getByLabel('Use the sandbox').check();
  await page.getByLabel('Name').fill('My phone');
  await page.getByRole('button', { name: 'Connect a channel' }).click();
  await page.getByRole('heading', { name: 'My phone', level: 1 }).waitFor();
  const code = page.getByRole('img', { name: 'QR code that links the phone' });
  await code.waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  const known = await scene.server.sandbox<Array<{ name: string; session: string }>>('GET', '/connections');
  const session = known.find(({ name }) => name === 'My phone')?.session;
  await scene.server.sandbox('POST', '/bridge/scan', { session });
  await code.waitFor({ state: 'detached' });
  await page.getByRole('main').getByText('The phone is linked.').waitFor();
});

it('shows the web chat as it will look, with its settings and HTML, and it works', async () => {
  await connectWebChat('Shop chat');
  const snippet = page.getByRole('region', { name: 'HTML for the pages that show the chat' });
  expect((await snippet.textContent())?.trim()).toMatch(
    new RegExp(`^<script src="${scene.server.url}/widget.js" data-connection="[\\w-]+" async></script>$`),
  );
  const preview = page.frameLocator(PREVIEW);
  await preview.getByRole('dialog', { name: 'Chat with us' }).waitFor();

  // A new title shows in the preview, and the member goes on typing where they were.
  await page.getByLabel('Title').fill('Ask us');
  const panel = preview.getByRole('dialog', { name: 'Ask us' });
  await panel.waitFor();
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
  await page.getByLabel('Use a colour of your own').check();
  await page.getByLabel('Colour', { exact: true }).fill('#b45309');
  // The frame is made anew for the colour, perhaps while it is being asked.
  const head = preview.locator('.head');
  await eventually(
    () => head.evaluate((element) => getComputedStyle(element).backgroundColor).catch(() => ''),
    (color) => color === 'rgb(180, 83, 9)',
  );

  // What is written in it reaches a colleague as a visitor's message.
  const bea = await scene.member('Bea Agent', 'bea@example.com');
  await panel.waitFor();
  await panel.getByRole('textbox').fill('Do you ship to Norway?');
  await panel.getByRole('textbox').press('Enter');
  await bea.getByText('Do you ship to Norway?').first().waitFor();
  expect(await seriousFindings(page)).toEqual([]);
});

it('shows a channel that a colleague connects, and that one disconnects', async () => {
  const kim = await scene.member('Kim Admin', 'kim@example.com', 'admin');
  await kim.goto('/app/settings/channels');
  await kim.getByRole('heading', { name: 'Channels', level: 1 }).waitFor();
  await connectWebChat('Second chat');
  const card = kim.getByRole('region', { name: 'Second chat' });
  await card.getByText('Connected', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Disconnect' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
  await card.getByText('Disconnected', { exact: true }).waitFor();
  await card.getByRole('button', { name: 'Reconnect' }).click();
  await page.getByText('Connected', { exact: true }).waitFor();
});

it('fits a phone, and is not for agents', async () => {
  await connectWebChat('Phone chat');
  const path = new URL(page.url()).pathname;
  const phone = await scene.owner({ viewport: PHONE, isMobile: true, hasTouch: true });
  for (const each of [path, '/app/settings/channels/new?channel=whatsapp']) {
    await phone.goto(each);
    await phone.getByRole('heading', { level: 1 }).waitFor();
    await phone.getByRole('heading', { level: 2 }).first().waitFor();
    expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
  }
  const agent = await scene.signedIn(await scene.login('Al Agent'));
  await agent.goto(path);
  await agent.getByRole('heading', { name: 'For admins only' }).waitFor();
  expect(await agent.locator(PREVIEW).count()).toBe(0);
});

it('says that a channel cannot be connected while the server is not reached, and keeps the name', async () => {
  await page.goto('/app/settings/channels/new?channel=web_chat');
  await page.getByLabel('Name').fill('Lost chat');
  await page.route('**/admin/connections', (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  );
  await page.getByRole('button', { name: 'Connect a channel' }).click();
  await page.getByText('The server cannot be reached.').waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('Lost chat');
  await page.unroute('**/admin/connections');
});

async function widgetOf(path: string): Promise<{ texts: { en: { title: string | null } }; theme: string }> {
  const id = path.split('/').at(-1);
  const answer = await fetch(`${scene.server.url}/channels/web_chat/${id}/config`);
  return (await answer.json()).data;
}

it('shows unsaved settings of the widget, stores them with Ctrl-S, and a colleague sees them', async () => {
  await connectWebChat('Settled chat');
  const path = new URL(page.url()).pathname;
  const kim = await scene.member('Kay Admin', 'kay@example.com', 'admin');
  await kim.goto(path);
  await kim.getByLabel('Title').waitFor();
  const panel = page.frameLocator(PREVIEW).getByRole('dialog', { name: 'Talk to us' });

  await page.getByLabel('Title').fill('Talk to us');
  await page.getByLabel('Greeting').fill('Hello! How can we help?');
  await page.getByRole('combobox', { name: 'Theme' }).click();
  await page.getByRole('option', { name: 'Dark' }).click();
  await page.getByRole('combobox', { name: 'Ask for the name' }).click();
  await page.getByRole('option', { name: 'Required before the chat' }).click();
  await panel.getByText('Hello! How can we help?').waitFor();
  await panel.getByLabel('Your name').waitFor();
  // Nobody but the preview has it yet.
  expect(await widgetOf(path)).toMatchObject({ texts: { en: { title: null } }, theme: 'auto' });
  expect(await seriousFindings(page)).toEqual([]);

  await page.getByLabel('Title').press('ControlOrMeta+s');
  await page.getByText('Saved. Your website shows it within a minute.').waitFor();
  await page.getByRole('region', { name: 'Save' }).waitFor({ state: 'detached' });
  expect(await widgetOf(path)).toMatchObject({ texts: { en: { title: 'Talk to us' } }, theme: 'dark' });
  await eventually(
    () => kim.getByLabel('Title').inputValue(),
    (title) => title === 'Talk to us',
  );
  await page.reload();
  await panel.waitFor();
  expect(await page.getByLabel('Title').inputValue()).toBe('Talk to us');
});

it('keeps settings of the widget that cannot be saved, and asks before they are left', async () => {
  await connectWebChat('Unsaved chat');
  await page.getByRole('button', { name: 'Deutsch' }).click();
  await page.getByLabel('Title').fill('Fragen Sie uns');
  await page.frameLocator(PREVIEW).getByRole('dialog', { name: 'Fragen Sie uns' }).waitFor();
  await page.route('**/widget', (route) =>
    route.request().method() === 'PUT' ? route.abort() : route.continue(),
  );
  const bar = page.getByRole('region', { name: 'Save' });
  await bar.getByRole('button', { name: /^Save/ }).click();
  await bar.getByText('The server cannot be reached.').waitFor();
  expect(await page.getByLabel('Title').inputValue()).toBe('Fragen Sie uns');
  await page.unroute('**/widget');

  await page.getByRole('link', { name: 'Channels' }).first().click();
  const question = page.getByRole('dialog', { name: 'Discard what you typed?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await bar.getByRole('button', { name: 'Discard' }).click();
  expect(await page.getByLabel('Title').inputValue()).toBe('');
  await bar.waitFor({ state: 'detached' });
});

it('creates the identity secret once, with code that signs', async () => {
  await connectWebChat('Signed chat');
  const section = page.getByRole('region', { name: 'On your server: sign the user’s id' });
  await page.getByRole('button', { name: 'Create the secret' }).click();
  const secret = await page.getByLabel('Identity secret').inputValue();
  expect(secret.length).toBeGreaterThan(20);
  await page.getByRole('button', { name: 'Python', exact: true }).click();
  expect(await section.textContent()).toContain('hmac.new(secret.encode()');
  await page.getByText('data-user-id="USER_ID" data-user-hash="USER_HASH"').waitFor();

  await page.reload();
  await page.getByRole('button', { name: 'Create a new secret' }).click();
  expect(await page.getByLabel('Identity secret').count()).toBe(0);
  await page.getByRole('dialog').getByRole('button', { name: 'Create a new secret' }).click();
  await page.getByLabel('Identity secret').waitFor();
  expect(await page.getByLabel('Identity secret').inputValue()).not.toBe(secret);
  expect(await seriousFindings(page)).toEqual([]);
});
