import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import type { TeamMember } from '@/api/app';
import { accountServer, page, run, session } from '@/testing/data';
import { contactEvent } from '@/testing/developers';
import { button, noText, renderApp, text } from '@/testing/render';
import { type FakeServer, Refusal } from '@/testing/server';
import { connection } from '@/testing/setup';

const member = (id: string): TeamMember => ({
  id,
  name: id,
  email: `${id}@example.com`,
  role: 'agent',
  status: 'invited',
  second_factor: false,
  last_seen_at: null,
});
const none = { data: { total: { count: 0, is_more: false }, sample: [] } };

/** An account in which nothing was done yet. */
const newAccount = () => accountServer().on('GET /runs', page([])).on('POST /app/api/segments/preview', none);

/** An account in which everything is done. */
const oldAccount = () =>
  accountServer()
    .on('GET /app/api/admin/connections', page([connection({})]))
    .on('GET /app/api/admin/members', page([member('bo'), member('cy')]));

const asAgent = (server: FakeServer) =>
  server.on('GET /app/api/session', { data: { ...session, role: 'agent' } });

const step = async (name: string) => within(await screen.findByRole('listitem', { name }));
const inMenu = () =>
  within(screen.getByRole('navigation', { name: 'Main menu' })).queryByRole('link', { name: 'First steps' });

afterEach(() => localStorage.clear());

describe('the guide', () => {
  it('opens after the first sign-in, and never again by itself', async () => {
    const first = await renderApp(newAccount(), '/');
    await text('0 of 4 done');
    expect(first.router.state.location.pathname).toBe('/first-steps');
    expect(inMenu()).not.toBeNull();
  });

  it('is not opened a second time, and stays in the menu', async () => {
    localStorage.setItem('frontdesk.first-steps.acme.bo', '{"seen":true}');
    const server = newAccount();
    const { router } = await renderApp(server, '/');
    await text('Is it still available?');
    expect(router.state.location.pathname).toBe('/inbox');
    expect(server.count('GET /runs')).toBe(0);
    expect(inMenu()).not.toBeNull();
  });

  it('is not shown at all where everything is done', async () => {
    const { router } = await renderApp(oldAccount(), '/');
    await text('Is it still available?');
    expect(router.state.location.pathname).toBe('/inbox');
    expect(inMenu()).toBeNull();
  });

  it('does not stand in the way when the server fails', async () => {
    const server = newAccount().on(
      'GET /app/api/admin/connections',
      () => new Refusal(500, { code: 'internal', message: 'Broken.' }),
    );
    const { router } = await renderApp(server, '/');
    await text('Is it still available?');
    expect(router.state.location.pathname).toBe('/inbox');
    expect(localStorage.getItem('frontdesk.first-steps.acme.bo')).toBeNull();
  });

  it('is put away for good, and found again by its name', async () => {
    const { user, router } = await renderApp(newAccount(), '/first-steps');
    await user.click(await button('Put the guide away'));
    await waitFor(() => expect(router.state.location.pathname).toBe('/inbox'));
    expect(inMenu()).toBeNull();
    await user.keyboard('gf');
    await user.click(await button('Show it in the menu'));
    expect(inMenu()).not.toBeNull();
  });

  it('says that the password is missing, to somebody who came by a link', async () => {
    const user = { ...session.user, has_password: false };
    await renderApp(newAccount().on('GET /app/api/session', { data: { ...session, user } }), '/first-steps');
    const link = await screen.findByRole('link', { name: 'Set a password' });
    expect(link.getAttribute('href')).toBe('/app/settings');
  });
});

describe('a step', () => {
  it('is done by what the account has', async () => {
    await renderApp(oldAccount(), '/first-steps');
    await text('Everything is done');
    for (const name of ['Connect a channel', 'Invite a colleague', 'Try the assistant', 'Import contacts'])
      (await step(name)).getByText('Done');
  });

  it('is not done by a sandbox channel, or by a member who has left', async () => {
    const left = { ...member('cy'), status: 'removed' as const };
    await renderApp(
      newAccount().on('GET /app/api/admin/members', page([member('bo'), left])),
      '/first-steps',
    );
    await text('0 of 4 done');
    expect((await step('Connect a channel')).queryByText('Done')).toBeNull();
  });

  it('shows live that somebody has done it', async () => {
    const server = newAccount();
    await renderApp(server, '/first-steps');
    await text('0 of 4 done');
    server
      .on('GET /app/api/admin/connections', page([connection({})]))
      .on('GET /runs', page([run]))
      .on('POST /app/api/segments/preview', {
        data: { total: { count: 3, is_more: false }, sample: [] },
      });
    server.emit(contactEvent(1));
    await text('1 of 4 done');
    server.emit({ event_id: 'evt_2', event_type: 'run.finished', data: { run } });
    await text('2 of 4 done');
    server.emit({ event_id: 'evt_3', event_type: 'channel.connected', data: { channel: connection({}) } });
    await text('3 of 4 done');
  });

  it('can be put away, and brought back', async () => {
    const { user } = await renderApp(newAccount(), '/first-steps');
    await user.click(await button('Put away: Invite a colleague'));
    await text('1 of 4 done');
    (await step('Invite a colleague')).getByText('Put away');
    await user.click(await button('Bring it back'));
    await text('0 of 4 done');
  });

  it('is not offered to agents where only admins may take it', async () => {
    const server = asAgent(newAccount());
    await renderApp(server, '/first-steps');
    await text('0 of 2 done');
    await noText('Invite a colleague');
    expect(server.count('GET /app/api/admin/connections')).toBe(0);
    expect(server.count('GET /app/api/admin/members')).toBe(0);
  });

  it('says that it cannot be read, and tries again', async () => {
    const server = newAccount().on(
      'GET /runs',
      () => new Refusal(500, { code: 'internal', message: 'Broken.' }),
    );
    const { user } = await renderApp(server, '/first-steps');
    await text('The server had a problem.');
    server.on('GET /runs', page([run]));
    await user.click(await button('Try again'));
    await text('1 of 4 done');
  });

  it('leads to the sandbox, the web chat and the assistants to try one', async () => {
    const chat = connection({ id: 'c9', channel: 'web_chat', snippet: '<script async></script>' });
    const server = newAccount()
      .on('GET /app/api/sandbox', { data: { url: 'http://127.0.0.1/sandbox' } })
      .on('GET /app/api/admin/connections', page([chat]));
    await renderApp(server, '/first-steps');
    const assistant = await step('Try the assistant');
    await assistant.findByRole('link', { name: 'Write in your web chat' });
    const links = assistant.getAllByRole('link').map((link) => link.getAttribute('href'));
    expect(links).toEqual(['http://127.0.0.1/sandbox', '/app/settings/channels/c9', '/app/assistants']);
  });
});
