import { describe, expect, it } from 'vitest';
import type { ApiKey, ConnectionDetail, Pairing, TeamMember } from '@/api/app';
import { accountServer, page, session } from '@/testing/data';
import { click, control, copyable, noCopyable, renderApp, text, type, waitFor } from '@/testing/render';
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
  revoked_at: null,
  revoked_by: null,
  revoked_reason: null,
  created_at: AT,
};
const member: TeamMember = {
  id: 'cy',
  name: 'Cy New',
  email: 'cy@example.com',
  role: 'agent',
  status: 'invited',
  second_factor: false,
  last_seen_at: null,
};
const phone: ConnectionDetail = {
  id: 'p1',
  channel: 'personal_whatsapp',
  name: 'My phone',
  address: null,
  status: 'disconnected',
  disconnected_reason: 'Not linked yet.',
  created_at: AT,
  webhook_url: null,
  snippet: null,
  sandbox: false,
};

describe('API keys', () => {
  it('need a scope, and show their secret once', async () => {
    const server = accountServer().on('POST /app/api/admin/keys', {
      data: { key, secret: 'frontdesk_live_secret' },
    });
    await renderApp(server, '/settings/keys');
    await click('New API key', 'button');
    await type('Name', 'Shop');
    expect((await control<HTMLButtonElement>('button', 'Create the key')).disabled).toBe(true);
    await click('contacts:write', 'input');
    expect((await control<HTMLInputElement>('input', 'contacts:read')).checked).toBe(true);
    await click('Create the key', 'button');
    await copyable('frontdesk_live_secret');
    expect(server.last('POST /app/api/admin/keys')?.body).toEqual({
      name: 'Shop',
      scopes: ['contacts:write'],
      expires_in_days: 90,
    });
    await waitFor(() => document.querySelectorAll('[role="dialog"]').length === 1, 'a single dialog');
    await click('Close', '[role="dialog"] button');
    await noCopyable('frontdesk_live_secret');
  });
});

describe('members', () => {
  it('are invited by a link that is shown once', async () => {
    const server = accountServer().on('POST /app/api/admin/members', {
      data: {
        member,
        invitation: { url: 'https://desk.example/app/password#token=x', expires_at: AT, mailed: false },
      },
    });
    await renderApp(server, '/settings/members');
    await click('Invite a member', 'button');
    await type('Name', 'Cy New');
    await type('Email', 'cy@example.com');
    await click('Invite a member', '[role="dialog"] button');
    await copyable('https://desk.example/app/password#token=x');
    expect(server.last('POST /app/api/admin/members')?.body).toEqual({
      name: 'Cy New',
      email: 'cy@example.com',
      role: 'agent',
    });
  });

  it('shows the refusal of the server at its field', async () => {
    const server = accountServer().on(
      'POST /app/api/admin/members',
      () =>
        new Refusal(400, {
          code: 'validation_error',
          message: 'Wrong.',
          details: [{ path: 'email', message: 'is already a member' }],
        }),
    );
    await renderApp(server, '/settings/members');
    await click('Invite a member', 'button');
    await type('Name', 'Cy New');
    await type('Email', 'bo@example.com');
    await click('Invite a member', '[role="dialog"] button');
    await text('is already a member');
    expect((await control('input', 'Email')).getAttribute('aria-invalid')).toBe('true');
  });

  it('are not shown to agents', async () => {
    const server = accountServer().on('GET /app/api/session', { data: { ...session, role: 'agent' } });
    await renderApp(server, '/settings/members');
    await text('For admins only');
    expect(server.count('GET /app/api/admin/members')).toBe(0);
  });
});

describe('the second factor', () => {
  it('is confirmed by a code and gives recovery codes', async () => {
    const server = accountServer()
      .on('POST /app/api/profile/second-factor', {
        data: { secret: 'JBSWY3DP', uri: 'otpauth://totp/Frontdesk:bo?secret=JBSWY3DP' },
      })
      .on('POST /app/api/profile/second-factor/confirm', {
        data: { recovery_codes: ['aaaa-bbbb', 'cccc-dddd'] },
      });
    await renderApp(server, '/settings');
    await click('Set up an authenticator app', 'button');
    await type('Password', 'correct horse battery');
    await click('Go on', 'button');
    await copyable('JBSWY3DP');
    expect(server.last('POST /app/api/profile/second-factor')?.body).toEqual({
      password: 'correct horse battery',
    });
    await waitFor(
      () => document.querySelector('svg[aria-label="QR code for your authenticator app"]'),
      'the QR code',
    );
    await type('Code from the app', '123 456');
    await click('Switch it on', 'button');
    await text('cccc-dddd');
    expect(server.last('POST /app/api/profile/second-factor/confirm')?.body).toEqual({ code: '123456' });
  });

  it('is replaced and removed with the password and a current code', async () => {
    const on = { ...session, user: { ...session.user, second_factor: true } };
    const server = accountServer()
      .on('GET /app/api/session', { data: on })
      .on('POST /app/api/profile/second-factor', {
        data: { secret: 'JBSWY3DP', uri: 'otpauth://totp/Frontdesk:bo?secret=JBSWY3DP' },
      })
      .on('POST /app/api/profile/second-factor/remove', { data: session });
    await renderApp(server, '/settings');
    const proof = { password: 'correct horse battery', code: '123456' };
    const prove = async (button: string) => {
      await type('Password', proof.password);
      await type('Current code', '123 456');
      await click(button, '[role=dialog] form button');
    };
    await click('Set up another app', 'button');
    await prove('Go on');
    await copyable('JBSWY3DP');
    expect(server.last('POST /app/api/profile/second-factor')?.body).toEqual(proof);
    await click('Cancel', 'button');
    await click('Switch it off', 'button');
    await prove('Switch it off');
    await text('The second factor is off.');
    expect(server.last('POST /app/api/profile/second-factor/remove')?.body).toEqual(proof);
  });
});

describe('linking a phone', () => {
  it('shows a QR code and a pairing code, and closes once it is linked', async () => {
    let pairing: Pairing = { status: 'waiting', qr: '2@abc', code: null, expires_at: null };
    const server = accountServer()
      .on('GET /app/api/admin/connections', page([phone]))
      .on('POST /app/api/admin/connections/{id}/pairing', ({ body }) => {
        if ((body as { phone?: string }).phone) pairing = { ...pairing, code: 'ABCDEFGH' };
        return { data: pairing };
      })
      .on('GET /app/api/admin/connections/{id}/pairing', () => ({ data: pairing }));
    await renderApp(server, '/settings/channels');
    await click('Link the phone', 'button');
    await waitFor(
      () => document.querySelector('svg[aria-label="QR code that links the phone"]'),
      'the QR code',
    );
    await type('Without a camera: the phone’s number', '+14155550123');
    await click('Get a code', 'button');
    await text('ABCD-EFGH');
    pairing = { ...pairing, status: 'connected', qr: null, code: null };
    await text('The phone is linked.');
    await waitFor(() => document.querySelector('[role="dialog"]') === null, 'the closed dialog');
  });
});

it('keeps files with a canned reply', async () => {
  const file = (id: string, filename: string) => ({
    id,
    filename,
    content_type: 'application/pdf',
    size: 3,
    url: `/media/${id}`,
  });
  const canned = { id: 'r1', shortcut: 'visit', body: 'Come by.', created_at: AT, updated_at: AT };
  const server = accountServer()
    .on('GET /canned-replies', page([{ ...canned, media: [file('f1', 'map.pdf'), file('f2', 'menu.pdf')] }]))
    .on('POST /media', { data: { id: 'f3', url: '/media/f3', content_type: 'text/plain', size: 2 } })
    .on('PATCH /canned-replies/{id}', { data: { ...canned, media: [] } });
  await renderApp(server, '/settings/canned-replies');
  await text('2 files');
  await click('Edit visit', 'button');
  await text('map.pdf');
  const picker = await control<HTMLInputElement>('input[type="file"]', 'Files that are sent with it');
  Object.defineProperty(picker, 'files', { value: [new File(['hi'], 'hours.txt', { type: 'text/plain' })] });
  picker.dispatchEvent(new Event('change', { bubbles: true }));
  await text('hours.txt');
  await click('Remove map.pdf', 'button');
  await click('Save', 'button');
  await waitFor(() => server.count('PATCH /canned-replies/{id}') === 1, 'the request');
  expect(server.last('PATCH /canned-replies/{id}')?.body).toEqual({
    shortcut: 'visit',
    body: 'Come by.',
    media_ids: ['f2', 'f3'],
  });
});
