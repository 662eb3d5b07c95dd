/** Signing in, and every way in which it fails. */
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { choosePassword, PASSWORD, sessionEnds, signIn, useScene } from './scene';

const DAY_SECONDS = 86_400;
const FAILURES_MAX = 10;
const QUARTER_SECONDS = 15 * 60;

const scene = useScene();

it('signs the owner in by the link of the first start, once', async () => {
  const page = await scene.open();
  await page.goto('/app');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  // The tab shows the page already: only the part after # changes.
  await page.goto(scene.server.ownerLink);
  await page.getByRole('heading', { name: 'First steps' }).waitFor();
  expect(page.url()).toBe(`${scene.server.url}/app/first-steps`);

  const other = await scene.open();
  await other.goto(scene.server.ownerLink);
  await other.getByText('This link no longer works').waitFor();
});

it('serves the page under a strict policy, and its scripts for a year', async () => {
  const page = await fetch(`${scene.server.url}/app`);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self';");
  expect(page.headers.get('cache-control')).toBe('no-cache');
  const script = /src="([^"]+\.js)"/.exec(await page.text())?.[1];
  const texts = new Set<string>();
  for (const encoding of ['gzip', null]) {
    const answer = await fetch(scene.server.url + script, {
      headers: { 'accept-encoding': encoding ?? 'identity' },
    });
    expect(answer.headers.get('content-encoding')).toBe(encoding);
    expect(answer.headers.get('cache-control')).toContain('immutable');
    texts.add(await answer.text());
  }
  expect(texts.size).toBe(1);
});

it('refuses weak passwords, and a link that was used', async () => {
  const page = await scene.open();
  const link = scene.server.invite('Kim', 'kim@example.com');
  await page.goto(link);
  const fill = async (first: string, again: string) => {
    await page.getByLabel('New password', { exact: true }).fill(first);
    await page.getByLabel('New password, again').fill(again);
    await page.getByRole('button', { name: 'Save the password' }).click();
  };
  await fill(PASSWORD, `${PASSWORD} `);
  await page.getByText('The two passwords differ.').waitFor();
  await fill('password1234', 'password1234');
  await page.getByText(/usual|common|guess/).waitFor();
  await fill(PASSWORD, PASSWORD);
  await page.getByText('Your password is saved. Sign in with it.').waitFor();
  await page.goto(link);
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
  await page.goto('/app/password');
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
});

it('says the same for a wrong password and an unknown address', async () => {
  const page = await scene.open();
  await signIn(page, await scene.login('Ada'), 'not the password');
  const refusal = page.getByRole('alert');
  await refusal.waitFor();
  const known = await refusal.textContent();
  await page.reload();
  await signIn(page, 'nobody@example.com', 'not the password');
  await refusal.waitFor();
  expect(await refusal.textContent()).toBe(known);
  expect(known).toContain('Email or password is wrong');
});

it('goes on to the page that was asked for, and never to another site', async () => {
  const email = await scene.login('Ben');
  const page = await scene.open();
  await page.goto('/app/contacts?q=ann');
  await signIn(page, email);
  await page.getByRole('heading', { name: 'Contacts', exact: true }).waitFor();
  expect(page.url()).toContain('/app/contacts?q=ann');

  const lured = await scene.open();
  await lured.goto(`/app/sign-in?next=${encodeURIComponent('//evil.example')}`);
  await signIn(lured, email);
  await lured.getByRole('link', { name: 'Inbox' }).waitFor();
  expect(lured.url()).toContain(scene.server.url);
});

it('asks for the second factor, refuses a wrong code and takes a recovery code once', async () => {
  const page = await scene.member('Noa', 'noa@example.com');
  await page.goto('/app/settings');
  await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
  const proof = page.getByRole('dialog', { name: 'Set up an authenticator app' });
  await proof.getByLabel('Password').fill('not the password');
  await proof.getByRole('button', { name: 'Go on' }).click();
  await proof.getByText('is not your password').waitFor();
  await proof.getByLabel('Password').fill(PASSWORD);
  await proof.getByRole('button', { name: 'Go on' }).click();
  const secret = await page.getByLabel('Or enter this key').inputValue();
  await page.getByLabel('Code from the app').fill('000000');
  await page.getByRole('button', { name: 'Switch it on' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Code from the app').fill(await codeNow(secret));
  await page.getByRole('button', { name: 'Switch it on' }).click();
  const codes = page.getByRole('dialog', { name: 'Your recovery codes' }).getByRole('listitem');
  await codes.first().waitFor();
  expect(await codes.count()).toBe(10);
  const recovery = (await codes.first().textContent()) ?? '';

  const other = await scene.open();
  await signIn(other, 'noa@example.com');
  await other.getByLabel('Code').fill('000000');
  await other.getByRole('button', { name: 'Sign in' }).click();
  await other.getByText('Email, password or code is wrong.').waitFor();
  await other.getByLabel('Code').fill(recovery);
  await other.getByRole('button', { name: 'Sign in' }).click();
  await other.getByRole('link', { name: 'Inbox' }).waitFor();

  const again = await scene.open();
  await signIn(again, 'noa@example.com');
  await again.getByLabel('Code').fill(recovery);
  await again.getByRole('button', { name: 'Sign in' }).click();
  await again.getByText('Email, password or code is wrong.').waitFor();

  await page.getByRole('button', { name: 'I have kept them' }).click();
  await scene.server.advance(60);
  await page.getByRole('button', { name: 'Switch it off' }).click();
  const removal = page.getByRole('dialog', { name: 'Switch it off' });
  await removal.getByLabel('Password').fill(PASSWORD);
  await removal.getByLabel('Current code').fill('000000');
  await removal.getByRole('button', { name: 'Switch it off' }).click();
  await removal.getByRole('alert').waitFor();
  await removal.getByLabel('Current code').fill(await codeNow(secret));
  await removal.getByRole('button', { name: 'Switch it off' }).click();
  await page.getByText('The second factor is off.').waitFor();
});

it('leaves when the session is ended elsewhere or the member is removed', async () => {
  const mia = await scene.member('Mia', 'mia@example.com');
  const phone = await scene.signedIn('mia@example.com');
  await mia.goto('/app/settings');
  await mia.getByRole('button', { name: 'Sign out everywhere else' }).click();
  await sessionEnds(phone);

  scene.server.cli('member', 'remove', 'mia@example.com');
  await sessionEnds(mia);
  await signIn(mia, 'mia@example.com');
  await mia.getByRole('alert').getByText('Email or password is wrong').waitFor();
});

it('signs out in every tab', async () => {
  const page = await scene.member('Cleo', 'cleo@example.com');
  const tab = await page.context().newPage();
  await tab.goto('/app/contacts');
  await tab.getByRole('heading', { name: 'Contacts', exact: true }).waitFor();
  await page.getByRole('button', { name: /Cleo, Demo: menu/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await tab.getByRole('heading', { name: 'Sign in' }).waitFor();
});

it('makes whoever guesses wait', async () => {
  const email = await scene.login('Dan');
  const page = await scene.open();
  // Failures are counted per quarter of an hour: begin with a new one.
  const now = (await scene.server.advance(0)).getTime() / 1_000;
  await scene.server.advance(QUARTER_SECONDS - Math.floor(now % QUARTER_SECONDS));
  for (let attempt = 0; attempt <= FAILURES_MAX; attempt += 1) {
    const answered = page.waitForResponse((response) => response.url().endsWith('/app/api/session'));
    await signIn(page, email, `guess number ${attempt}`);
    await answered;
  }
  await page.getByText(/Too many attempts. Try again in \d+ minutes/).waitFor();
  // Even the right password has to wait now.
  await signIn(page, email);
  await page.getByText(/Too many attempts. Try again in \d+ minutes/).waitFor();
  await scene.server.advance(QUARTER_SECONDS);
  await signIn(page, email);
  await page.getByRole('link', { name: 'Inbox' }).waitFor();
});

it('lets a changed password end the other sessions', async () => {
  const page = await scene.member('Eva', 'eva@example.com');
  const link = scene.server.linkOf('eva@example.com');
  await choosePassword(await scene.open(), link, 'another kettle entirely');
  await sessionEnds(page);
});

describe('after days', () => {
  // The command line makes links by the time of day: the other tests need a clock that was not moved so far.
  const later = useScene();

  it('lets links and sessions expire', async () => {
    const page = await later.member('Lee', 'lee@example.com');
    const late = later.server.invite('Max', 'max@example.com');
    await later.server.advance(15 * DAY_SECONDS);
    await sessionEnds(page);
    await page.goto(late);
    await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
  });
});

/** The code that an authenticator app shows now, by the server's clock. */
async function codeNow(secret: string): Promise<string> {
  const now = await scene.server.advance(0);
  const letters = [...secret].map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter));
  const bits = letters.map((value) => value.toString(2).padStart(5, '0')).join('');
  const key = Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(now.getTime() / 30_000)));
  const digest = createHmac('sha1', key).update(step).digest();
  const offset = (digest.at(-1) ?? 0) & 15;
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}
