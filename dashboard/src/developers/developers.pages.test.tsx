import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { ApiKey } from '@/api/app';
import { accountServer, contact, page, session } from '@/testing/data';
import { attempt, contactEvent, delivery, endpoint } from '@/testing/developers';
import { button, choose, fill, renderApp, text } from '@/testing/render';
import { Refusal } from '@/testing/server';

const AT = '2026-01-31T09:30:00.000Z';
const key: ApiKey = {
  id: 'k2',
  name: 'Shop',
  hint: 'abcd',
  scopes: ['contacts:write'],
  member_id: 'bo',
  ip_allowlist: [],
  rate_limit_per_minute: null,
  expires_at: null,
  last_used_at: '2026-01-31T09:30:00.000Z',
  revoked_at: null,
  revoked_by: null,
  revoked_reason: null,
  unattended: false,
  created_at: AT,
};

const dialog = async (name?: string) =>
  within(await screen.findByRole('dialog', name === undefined ? {} : { name }));

describe('webhooks', () => {
  it('are created with the events that were chosen, and show their secret once', async () => {
    const server = accountServer().on('POST /webhooks', {
      data: { ...endpoint, id: 'h2', secret: 'whsec_c2VjcmV0' },
    });
    const { user, router } = await renderApp(server, '/developers');
    await user.click(await button('New webhook'));
    await fill(user, 'Address', 'https://shop.example/hook');
    await user.click(await screen.findByRole('checkbox', { name: 'All events' }));
    const create = await button('Create the webhook');
    expect(create.hasAttribute('disabled')).toBe(true);
    await user.click(await screen.findByRole('checkbox', { name: 'contact.*' }));
    await user.click(await screen.findByRole('checkbox', { name: /contact\.deleted/ }));
    await user.click(create);
    await screen.findByDisplayValue('whsec_c2VjcmV0');
    expect(server.last('POST /webhooks')?.body).toEqual({
      url: 'https://shop.example/hook',
      description: null,
      event_types: ['contact.created'],
    });
    expect(server.last('POST /webhooks')?.headers.get('idempotency-key')).toBeTruthy();
    await user.click(await (await dialog('Signing secret')).findByRole('button', { name: 'Close' }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/developers/webhooks/h2'));
    await waitFor(() => expect(screen.queryByDisplayValue('whsec_c2VjcmV0')).toBeNull());
  });

  it('show the refusal of the server at its field', async () => {
    const server = accountServer().on(
      'POST /webhooks',
      () =>
        new Refusal(400, {
          code: 'validation_error',
          message: 'Wrong.',
          details: [{ path: 'url', message: 'must be on the public internet' }],
        }),
    );
    const { user } = await renderApp(server, '/developers');
    await user.click(await button('New webhook'));
    await fill(user, 'Address', 'https://10.0.0.1/hook');
    await user.click(await button('Create the webhook'));
    await text('must be on the public internet');
    expect(screen.getByLabelText('Address').getAttribute('aria-invalid')).toBe('true');
  });

  it('offer to create the first', async () => {
    const { user } = await renderApp(accountServer().on('GET /webhooks', page([])), '/developers');
    await text('No webhooks yet');
    const [first] = await screen.findAllByRole('button', { name: 'New webhook' });
    await user.click(first as HTMLElement);
    await screen.findByRole('dialog', { name: 'New webhook' });
  });

  it('say that they cannot be read, and try again', async () => {
    const server = accountServer().on(
      'GET /webhooks',
      () => new Refusal(500, { code: 'internal', message: 'Broken.' }),
    );
    const { user } = await renderApp(server, '/developers');
    await text('The server had a problem.');
    server.on('GET /webhooks', page([endpoint]));
    await user.click(await button('Try again'));
    await text('https://shop.example/hook');
  });

  it('are not shown to an agent', async () => {
    const agent = { ...session, role: 'agent' as const, scopes: ['contacts:read', 'conversations:read'] };
    const server = accountServer().on('GET /app/api/session', { data: agent });
    await renderApp(server, '/developers');
    await text('For admins only');
    expect(server.count('GET /webhooks')).toBe(0);
    expect(screen.queryByRole('link', { name: 'Developers' })).toBeNull();
  });
});

describe('a delivery', () => {
  it('shows request and response, and is sent again', async () => {
    const server = accountServer().on('POST /webhooks/{id}/deliveries/{delivery_id}/retry', {
      data: { ...delivery, status: 'pending' },
    });
    const { user } = await renderApp(server, '/developers/webhooks/h1');
    await user.click(await button('contact.created'));
    const shown = await dialog('Delivery');
    await shown.findAllByText('HTTP 500');
    expect((await shown.findByRole('region', { name: 'Request' })).textContent).toContain(
      'POST https://shop.example/hook\ncontent-type: application/json\nwebhook-id: evt_019c12f1a6c07abcdef0123456789abc',
    );
    await shown.findByText('the endpoint answered 500');
    server.on('GET /webhooks/{id}/deliveries/{delivery_id}', {
      data: { ...delivery, status: 'succeeded', attempts: 9 },
    });
    await user.click(await shown.findByRole('button', { name: 'Send again' }));
    await shown.findByText('The address accepted it.');
  });

  it('lists every attempt with its response, and reads them again when there are more', async () => {
    const attempts = [
      attempt(2, { status_code: null, error: 'the connection was closed', response_snippet: null }),
      attempt(1, { status_code: 503, response_snippet: 'Back in a minute' }),
    ];
    const server = accountServer()
      .on('GET /webhooks/{id}/deliveries/{delivery_id}', { data: { ...delivery, attempts: 2 } })
      .on('GET /webhooks/{id}/deliveries/{delivery_id}/attempts', page(attempts))
      .on('POST /webhooks/{id}/deliveries/{delivery_id}/retry', { data: delivery });
    const { user } = await renderApp(server, '/developers/webhooks/h1');
    await user.click(await button('contact.created'));
    const shown = await dialog('Delivery');
    const rows = async () => (await shown.findAllByText(/^Attempt \d$/)).map((row) => row.textContent);
    expect(await rows()).toEqual(['Attempt 2', 'Attempt 1']);
    const opened = () =>
      shown.getAllByRole('group').filter((group) => (group as HTMLDetailsElement).open).length;
    expect(opened()).toBe(1);
    await shown.findByText('the connection was closed');
    expect(shown.getByRole('region', { name: 'Response to attempt 1', hidden: true }).textContent).toContain(
      'Back in a minute',
    );
    await user.click(shown.getByText('Attempt 1'));
    expect(opened()).toBe(2);
    server
      .on('GET /webhooks/{id}/deliveries/{delivery_id}', {
        data: { ...delivery, status: 'succeeded', attempts: 3 },
      })
      .on(
        'GET /webhooks/{id}/deliveries/{delivery_id}/attempts',
        page([attempt(3, { status_code: 204, error: null, response_snippet: null }), ...attempts]),
      );
    await user.click(await shown.findByRole('button', { name: 'Send again' }));
    await shown.findByText('HTTP 204');
    expect(await rows()).toEqual(['Attempt 3', 'Attempt 2', 'Attempt 1']);
  });

  it('says that its attempts cannot be read, and tries again', async () => {
    const server = accountServer().on(
      'GET /webhooks/{id}/deliveries/{delivery_id}/attempts',
      () => new Refusal(500, { code: 'internal', message: 'Broken.' }),
    );
    const { user } = await renderApp(server, '/developers/webhooks/h1');
    await user.click(await button('contact.created'));
    const shown = await dialog('Delivery');
    await shown.findByText(/^The server had a problem\./);
    server.on('GET /webhooks/{id}/deliveries/{delivery_id}/attempts', page([]));
    await user.click(await shown.findByRole('button', { name: 'Try again' }));
    await shown.findByText('It was not sent yet.');
  });

  it('says why it was not sent again', async () => {
    const server = accountServer().on(
      'POST /webhooks/{id}/deliveries/{delivery_id}/retry',
      () => new Refusal(409, { code: 'conflict', message: 'The delivery is in flight.' }),
    );
    const { user } = await renderApp(server, '/developers/webhooks/h1');
    await user.click(await button('contact.created'));
    await user.click(await button('Send again'));
    await text('The delivery is in flight.');
  });

  it('is listed by status', async () => {
    const server = accountServer();
    const { user } = await renderApp(server, '/developers/webhooks/h1');
    await user.click(await button('Failed'));
    await waitFor(() =>
      expect(server.last('GET /webhooks/{id}/deliveries')?.query.get('status')).toBe('failed'),
    );
  });
});

describe('an endpoint', () => {
  it('replays a range', async () => {
    const server = accountServer().on('POST /webhooks/{id}/replay', { data: { count: 3 } });
    const { user } = await renderApp(server, '/developers/webhooks/h1');
    await user.click(await button('More actions'));
    await user.click(await screen.findByRole('menuitem', { name: 'Replay deliveries' }));
    const form = await dialog('Replay deliveries');
    await fill(user, 'From', '2026-01-30T08:00');
    await choose(user, 'Which deliveries', 'All of these');
    await user.click(await form.findByRole('button', { name: 'Send again' }));
    await text('3 deliveries are sent again.');
    expect(server.last('POST /webhooks/{id}/replay')?.body).toEqual({
      since: new Date('2026-01-30T08:00').toISOString(),
      status: 'all',
    });
  });

  it('gets a new secret', async () => {
    const server = accountServer().on('POST /webhooks/{id}/secret', {
      data: { ...endpoint, secret: 'whsec_bmV3' },
    });
    const { user } = await renderApp(server, '/developers/webhooks/h1');
    await user.click(await button('More actions'));
    await user.click(await screen.findByRole('menuitem', { name: 'Rotate the secret' }));
    await user.click(await (await dialog()).findByRole('button', { name: 'Rotate the secret' }));
    await screen.findByDisplayValue('whsec_bmV3');
  });

  it('says that the test event was not sent', async () => {
    const server = accountServer().on(
      'POST /webhooks/{id}/test',
      () => new Refusal(500, { code: 'internal', message: 'Broken.' }),
    );
    const { user } = await renderApp(server, '/developers/webhooks/h1');
    await user.click(await button('Send a test event'));
    await text('The test event was not sent.');
  });
});

describe('the event log', () => {
  const rows = async () => within(await screen.findByRole('listbox')).findAllByRole('option');

  it('shows events as they happen, and the payload of the chosen one', async () => {
    const server = accountServer();
    const { user } = await renderApp(server, '/developers/events');
    expect(await rows()).toHaveLength(1);
    server.emit(contactEvent(2, 'Zoe New'));
    await waitFor(async () => expect(await rows()).toHaveLength(2));
    await user.click((await rows())[0] as HTMLElement);
    expect((await screen.findAllByRole('region', { name: 'Payload' }))[0]?.textContent).toContain('Zoe New');
  });

  it('has a button that fills it while nothing has happened, and one that clears the filters', async () => {
    const server = accountServer().on('GET /events', page([])).on('POST /contacts', { data: contact });
    const { user } = await renderApp(server, '/developers/events');
    await user.click(await button('New contact'));
    await fill(user, 'Name', 'Ann Lee');
    await user.click(await button('Save'));
    await waitFor(() => expect(server.last('POST /contacts')?.body).toMatchObject({ name: 'Ann Lee' }));
    server.emit(contactEvent(1));
    expect(await rows()).toHaveLength(1);
    await fill(user, 'Search in the payloads', 'nothing like it');
    await user.click(await button('Clear the filters'));
    expect(await rows()).toHaveLength(1);
  });

  it('is paused and resumed', async () => {
    const server = accountServer();
    const { user } = await renderApp(server, '/developers/events');
    expect(await rows()).toHaveLength(1);
    await user.click(await button('Pause'));
    server.emit(contactEvent(2));
    server.emit(contactEvent(3));
    await text('Paused. 2 new events wait.');
    expect(await rows()).toHaveLength(1);
    await user.click(await button('Resume'));
    expect(await rows()).toHaveLength(3);
  });

  it('is read with the keys', async () => {
    const server = accountServer().on(
      'GET /events',
      page([contactEvent(3), contactEvent(2), contactEvent(1)]),
    );
    const { user } = await renderApp(server, '/developers/events');
    await rows();
    screen.getByRole('listbox').focus();
    const chosen = () =>
      within(screen.getByRole('listbox'))
        .getByRole('option', { selected: true })
        .getAttribute('aria-posinset');
    await user.keyboard('{ArrowDown}');
    expect(chosen()).toBe('1');
    await user.keyboard('{End}');
    expect(chosen()).toBe('3');
    await user.keyboard('{ArrowUp}');
    expect(chosen()).toBe('2');
  });
});

describe('API keys', () => {
  it('tell when each was last used', async () => {
    const unused = { ...key, id: 'k2', name: 'Old', last_used_at: null };
    const server = accountServer().on('GET /app/api/admin/keys', page([key, unused]));
    await renderApp(server, '/developers/keys');
    await text('last used');
    await text('never used');
  });

  it('say which of them act without approval', async () => {
    const server = accountServer().on('GET /app/api/admin/keys', page([{ ...key, unattended: true }]));
    await renderApp(server, '/developers/keys');
    await text('acts without approval');
  });

  it('need a scope, and show their secret once with a command to try it', async () => {
    const server = accountServer().on('POST /app/api/admin/keys', {
      data: { key, secret: 'frontdesk_live_secret' },
    });
    const { user } = await renderApp(server, '/developers/keys');
    await user.click(await button('New API key'));
    await fill(user, 'Name', 'Shop');
    expect((await button('Create the key')).hasAttribute('disabled')).toBe(true);
    await user.click(await screen.findByRole('checkbox', { name: /^Create and change contacts/ }));
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: /^Read contacts/ }).checked).toBe(true);
    await user.click(await button('Create the key'));
    await screen.findByDisplayValue('frontdesk_live_secret');
    expect(server.last('POST /app/api/admin/keys')?.body).toEqual({
      name: 'Shop',
      scopes: ['contacts:write'],
      expires_in_days: 90,
    });
    const shown = await dialog('Your key');
    expect((await shown.findByRole('region', { name: 'curl command' })).textContent).toContain(
      "/api/v1/contacts?limit=5' \\\n  -H 'Authorization: Bearer frontdesk_live_secret'",
    );
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByDisplayValue('frontdesk_live_secret')).toBeNull());
  });

  it('say in words what they may do', async () => {
    const { user } = await renderApp(accountServer(), '/settings/keys');
    await user.click(await screen.findByText('What it may do, and a command to try it'));
    await text('Read contacts, tags and segments');
  });
});
