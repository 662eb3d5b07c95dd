import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Pairing } from '@/api/app';
import { accountServer, conversation, message, page, session } from '@/testing/data';
import { button, fill, noText, renderApp, text } from '@/testing/render';
import { Refusal } from '@/testing/server';
import { connection, widget } from '@/testing/setup';

const SNIPPET = '<script src="https://desk.example/widget.js" data-connection="c9" async></script>';
const chat = connection({
  id: 'c9',
  channel: 'web_chat',
  name: 'Shop chat',
  address: null,
  snippet: SNIPPET,
});
const SECRET = 'a1b2'.repeat(8);
const TOKEN = `EAA${'x'.repeat(100)}`;

const choose = async (name: RegExp) => screen.findByRole('radio', { name });

describe('connecting WhatsApp', () => {
  it('says where each value is, checks it, and shows what to enter at Meta', async () => {
    const server = accountServer()
      .on('POST /app/api/admin/connections', { data: connection({}) })
      .on('GET /conversations', page([]));
    const { user, router } = await renderApp(server, '/settings/channels/new');
    await user.click(await choose(/^WhatsApp/));
    await text('Choose your number under “From”.');

    // The phone number instead of its ID, left by Tab.
    await fill(user, 'Phone number ID', '+49 151 12345678');
    await noText('This looks like a phone number.');
    await user.tab();
    await text('This looks like a phone number.');
    expect(screen.getByLabelText('Phone number ID').getAttribute('aria-invalid')).toBe('true');
    await fill(user, 'Phone number ID', '106540352242922');
    await noText('This looks like a phone number.');
    await fill(user, 'WhatsApp Business account ID', '102290129340398');
    await fill(user, 'Access token', TOKEN);
    await fill(user, 'App secret', 'short');
    await user.tab();
    await text('App secrets usually have 32');
    await fill(user, 'App secret', SECRET);
    const verify = screen.getByLabelText<HTMLInputElement>('Verify token').value;
    expect(verify).toMatch(/^[0-9a-f]{36}$/);
    server.on('GET /app/api/admin/connections', page([connection({})]));
    await user.click(await button('Connect a channel'));

    await text('The last steps at Meta');
    expect(router.state.location.pathname).toBe('/settings/channels/w2');
    expect(server.last('POST /app/api/admin/connections')?.body).toEqual({
      channel: 'whatsapp',
      name: 'WhatsApp',
      phone_number_id: '106540352242922',
      waba_id: '102290129340398',
      access_token: TOKEN,
      app_secret: SECRET,
      verify_token: verify,
    });
    await screen.findByDisplayValue('https://desk.example/channels/whatsapp/w2');
    await screen.findByDisplayValue(verify);

    // The first message shows by itself.
    await text('Waiting for the first message.');
    const written = { ...conversation, id: 'c7', connection_id: 'w2' };
    server.on('GET /conversations', page([{ ...conversation, connection_id: 'other' }, written]));
    const first = message('m9', { conversation_id: 'c7' });
    server.emit({ event_id: 'evt_1', event_type: 'message.received', data: { message: first } });
    await text('The first message has arrived.');
    const link = await screen.findByRole('link', { name: 'Open the conversation' });
    expect(link.getAttribute('href')).toBe('/app/inbox/c7');
  });

  it('asks Meta about each value as it is left, and says live when Meta has called', async () => {
    const unknown = (field: 'app_secret', reason: 'no_answer') => ({
      field,
      result: 'unknown' as const,
      reason,
      message: '',
    });
    const server = accountServer()
      .on('POST /app/api/admin/connections/check', {
        data: [
          { field: 'phone_number_id', result: 'wrong', reason: 'number_not_found', message: 'No.' },
          { field: 'access_token', result: 'ok', reason: null, message: null },
          unknown('app_secret', 'no_answer'),
        ],
        meta: { next_cursor: null, has_more: false, limit: 100 },
      })
      .on('POST /app/api/admin/connections', { data: connection({}) })
      .on('GET /conversations', page([]));
    const { user } = await renderApp(server, '/settings/channels/new?channel=whatsapp');
    await fill(user, 'Phone number ID', '106540352242922');
    await user.tab();
    await new Promise((done) => setTimeout(done, 600));
    expect(server.last('POST /app/api/admin/connections/check')).toBeUndefined();
    await fill(user, 'Access token', TOKEN);
    await fill(user, 'App secret', SECRET);
    await user.tab();
    await text('The token sees no number with this ID.');
    await text('Confirmed by Meta');
    await text('Meta did not answer.');
    expect(server.last('POST /app/api/admin/connections/check')?.body).toEqual({
      channel: 'whatsapp',
      phone_number_id: '106540352242922',
      access_token: TOKEN,
      app_secret: SECRET,
    });
    // A value that has changed since is not what Meta was asked about.
    await fill(user, 'Phone number ID', '106540352242923');
    await noText('The token sees no number with this ID.');

    await fill(user, 'WhatsApp Business account ID', '102290129340398');
    server.on('GET /app/api/admin/connections', page([connection({})]));
    await user.click(await button('Connect a channel'));
    await text('Waiting for Meta’s first call.');
    const verified = connection({ webhook_verified_at: '2026-01-31T09:30:00.000Z' });
    server.on('GET /app/api/admin/connections', page([verified]));
    server.notice('changed', { resource: 'connections', id: 'w2' });
    await text('Meta has verified the address at Jan 31, 2026, 9:30 AM.');
    await text('Waiting for the first message.');
  });

  it('holds back what is surely wrong, also when Enter is pressed', async () => {
    const server = accountServer();
    const { user } = await renderApp(server, '/settings/channels/new?channel=messenger');
    await fill(user, 'Access token', TOKEN);
    await fill(user, 'App secret', SECRET);
    await fill(user, 'Page ID', 'my-page{Enter}');
    await text('An ID has digits only.');
    expect(server.count('POST /app/api/admin/connections')).toBe(0);
  });

  it('says what Meta has refused, and keeps what was entered', async () => {
    const server = accountServer().on(
      'POST /app/api/admin/connections',
      () =>
        new Refusal(422, {
          code: 'unprocessable',
          reason: 'channel_refused',
          message:
            'The channel was asked, and the token is wrong. Check the ids and the token, and try again.',
        }),
    );
    const { user } = await renderApp(server, '/settings/channels/new?channel=instagram');
    await fill(user, 'Instagram account ID', '106540352242922');
    await fill(user, 'Access token', TOKEN);
    await fill(user, 'App secret', SECRET);
    await user.click(await button('Connect a channel'));
    await text('the token is wrong');
    expect(screen.getByLabelText<HTMLInputElement>('Access token').value).toBe(TOKEN);
  });

  it('does not count a conversation that we have begun', async () => {
    const begun = { ...conversation, connection_id: 'w2', window_expires_at: null };
    const server = accountServer()
      .on('GET /app/api/admin/connections', page([connection({})]))
      .on('GET /conversations', page([begun]));
    await renderApp(server, '/settings/channels/w2');
    await text('Waiting for the first message.');
    // The server shows a verify token to nobody, so after a reload it is not there.
    await text('It is not shown again.');
  });
});

describe('connecting a personal number', () => {
  it('shows the QR code at once, until the phone is linked', async () => {
    // A new number counts as connected, but the bridge knows no phone yet.
    const phone = connection({ id: 'p1', channel: 'personal_whatsapp', name: 'My phone', sandbox: true });
    let pairing: Pairing | null = null;
    const waiting: Pairing = { status: 'waiting', qr: '2@abc', code: null, expires_at: null };
    const server = accountServer()
      .on('POST /app/api/admin/connections', { data: phone })
      .on('POST /app/api/admin/connections/{id}/pairing', () => {
        pairing = waiting;
        return { data: waiting };
      })
      .on('GET /app/api/admin/connections/{id}/pairing', () =>
        pairing
          ? { data: pairing }
          : new Refusal(422, { code: 'unprocessable', reason: 'pairing_failed', message: 'No session.' }),
      );
    const { user } = await renderApp(server, '/settings/channels/new?channel=personal_whatsapp');
    await text('A personal number is linked through a bridge');
    await user.click(await screen.findByRole('checkbox', { name: /Use the sandbox/ }));
    server.on('GET /app/api/admin/connections', page([phone]));
    await user.click(await button('Connect a channel'));
    await screen.findByRole('img', { name: 'QR code that links the phone' });
    pairing = { status: 'connected', qr: null, code: null, expires_at: null };
    await text('The phone is linked.');
    await waitFor(() =>
      expect(screen.queryByRole('img', { name: 'QR code that links the phone' })).toBeNull(),
    );
  });

  it('shows no code for a phone that is linked', async () => {
    const phone = connection({ id: 'p1', channel: 'personal_whatsapp' });
    const server = accountServer()
      .on('GET /app/api/admin/connections', page([phone]))
      .on('GET /app/api/admin/connections/{id}/pairing', {
        data: { status: 'connected', qr: null, code: null, expires_at: null },
      });
    await renderApp(server, '/settings/channels/p1');
    await text('The phone is linked.');
    expect(server.count('POST /app/api/admin/connections/{id}/pairing')).toBe(0);
  });

  it('leads to a number that waits for its phone', async () => {
    const phone = connection({ id: 'p1', channel: 'personal_whatsapp', name: 'Mia', status: 'disconnected' });
    const server = accountServer().on('GET /app/api/admin/connections', page([phone]));
    await renderApp(server, '/settings/channels/new?channel=personal_whatsapp');
    const link = await screen.findByRole('link', { name: 'Link the phone of Mia' });
    expect(link.getAttribute('href')).toBe('/app/settings/channels/p1');
  });

  it('says that the phone was not linked, and shows a new code', async () => {
    const phone = connection({ id: 'p1', channel: 'personal_whatsapp', status: 'disconnected' });
    let status: 'failed' | 'waiting' = 'failed';
    const pairing = () => ({ data: { status, qr: '2@abc', code: null, expires_at: null } });
    const server = accountServer()
      .on('GET /app/api/admin/connections', page([phone]))
      .on('POST /app/api/admin/connections/{id}/pairing', pairing)
      .on('GET /app/api/admin/connections/{id}/pairing', pairing);
    const { user } = await renderApp(server, '/settings/channels/p1');
    await text('The phone was not linked.');
    status = 'waiting';
    await user.click(await button('Show a new code'));
    await screen.findByRole('img', { name: 'QR code that links the phone' });
  });
});

describe('a web chat', () => {
  it('is connected without any value, and shows its settings, HTML and preview', async () => {
    const server = accountServer().on('POST /app/api/admin/connections', { data: chat });
    const { user } = await renderApp(server, '/settings/channels/new?channel=web_chat');
    await fill(user, 'Name', 'Shop chat');
    server.on('GET /app/api/admin/connections', page([chat]));
    await user.click(await button('Connect a channel'));
    await text(SNIPPET);
    expect(server.last('POST /app/api/admin/connections')?.body).toEqual({
      channel: 'web_chat',
      name: 'Shop chat',
    });
    await screen.findByTitle('As visitors see it');
    await text('Identity verification');
  });

  it('is changed as a whole, and the HTML stays', async () => {
    const { has_identity_secret: _, ...stored } = widget;
    const server = accountServer()
      .on('GET /app/api/admin/connections', page([chat]))
      .on('PUT /app/api/admin/connections/{id}/widget', { data: { ...widget, color: '#1f5eff' } });
    const { user } = await renderApp(server, `/settings/channels/${chat.id}`);
    await fill(user, 'Title', 'Ask us');
    await user.click(await screen.findByRole('checkbox', { name: 'Use a colour of your own' }));
    await user.click(await screen.findByRole('switch', { name: 'Visitors may send files' }));
    await user.click(await button(/^Save/));
    await waitFor(() =>
      expect(server.last('PUT /app/api/admin/connections/{id}/widget')?.body).toEqual({
        ...stored,
        color: '#1f5eff',
        accepts_files: false,
        texts: { ...stored.texts, en: { title: 'Ask us', greeting: null, away: null } },
      }),
    );
    await text(SNIPPET);
  });

  it('says which text is too long, and keeps it', async () => {
    const server = accountServer()
      .on('GET /app/api/admin/connections', page([chat]))
      .on(
        'PUT /app/api/admin/connections/{id}/widget',
        () =>
          new Refusal(400, {
            code: 'validation_error',
            message: 'Wrong.',
            details: [{ path: 'texts.en.title', message: 'must be shorter' }],
          }),
      );
    const { user } = await renderApp(server, `/settings/channels/${chat.id}`);
    await fill(user, 'Title', 'Ask us');
    await user.click(await button(/^Save/));
    await text('must be shorter');
    await screen.findByDisplayValue('Ask us');
  });

  it('shows a new identity secret once', async () => {
    const server = accountServer()
      .on('GET /app/api/admin/connections', page([chat]))
      .on('POST /app/api/admin/connections/{id}/identity-secret', { data: { identity_secret: 's3cret' } });
    const { user } = await renderApp(server, `/settings/channels/${chat.id}`);
    await user.click(await button('Create the secret'));
    await screen.findByDisplayValue('s3cret');
    await button('Create a new secret');
  });
});

describe('the list of channels', () => {
  it('offers to connect the first', async () => {
    await renderApp(accountServer().on('GET /app/api/admin/connections', page([])), '/settings/channels');
    await text('No channel is connected');
    const links = await screen.findAllByRole('link', { name: 'Connect a channel' });
    expect(links).toHaveLength(2);
  });

  it.each(['/settings/channels', '/settings/channels/new', '/settings/channels/w1'])(
    'is not for agents: %s',
    async (path) => {
      const server = accountServer().on('GET /app/api/session', { data: { ...session, role: 'agent' } });
      await renderApp(server, path);
      await text('For admins only');
      expect(server.count('GET /app/api/admin/connections')).toBe(0);
    },
  );

  it('says that it cannot be read, and tries again', async () => {
    const server = accountServer().on(
      'GET /app/api/admin/connections',
      () => new Refusal(500, { code: 'internal', message: 'Broken.' }),
    );
    const { user } = await renderApp(server, '/settings/channels/w2');
    await text('The server had a problem.');
    server.on('GET /app/api/admin/connections', page([connection({})]));
    await user.click(await button('Try again'));
    await text('The last steps at Meta');
  });

  it('shows live that a channel was disconnected', async () => {
    const server = accountServer().on('GET /app/api/admin/connections', page([connection({})]));
    await renderApp(server, '/settings/channels');
    await text('Shop number');
    const gone = connection({ status: 'disconnected', disconnected_reason: 'The token has expired.' });
    server.on('GET /app/api/admin/connections', page([gone]));
    server.emit({ event_id: 'evt_1', event_type: 'channel.disconnected', data: { channel: gone } });
    await text('The token has expired.');
    await waitFor(() => expect(screen.getByRole('button', { name: 'Reconnect' })).toBeTruthy());
  });
});
