import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { ConnectionDetail, Pairing, TeamMember } from '@/api/app';
import { accountServer, page, session } from '@/testing/data';
import { button, fill, renderApp, text } from '@/testing/render';
import { Refusal } from '@/testing/server';

const inDialog = async (name: string) =>
  within(await screen.findByRole('dialog')).findByRole('button', { name });

const AT = '2026-01-31T09:30:00.000Z';
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
  webhook_verified_at: null,
  sandbox: false,
};

describe('mails', () => {
  it('can be declined by kind, in the language of the page', async () => {
    const server = accountServer().on('PATCH /app/api/mail', ({ body }) => ({
      data: {
        is_set_up: true,
        offered: ['budget_warning' as const, 'mention' as const],
        kinds: (body as { kinds: ['mention'] }).kinds,
        language: 'en' as const,
      },
    }));
    const { user } = await renderApp(server, '/settings/preferences');
    const budget = await screen.findByRole('checkbox', { name: 'An AI budget of which 80 % is spent' });
    expect(budget).toHaveProperty('checked', true);
    await user.click(budget);
    await waitFor(() => expect(budget).toHaveProperty('checked', false));
    expect(server.last('PATCH /app/api/mail')?.body).toEqual({ kinds: ['mention'], language: 'en' });
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
    const { user } = await renderApp(server, '/settings/members');
    await user.click(await button('Invite a member'));
    await fill(user, 'Name', 'Cy New');
    await fill(user, 'Email', 'cy@example.com');
    await user.click(await inDialog('Invite a member'));
    await screen.findByDisplayValue('https://desk.example/app/password#token=x');
    expect(server.last('POST /app/api/admin/members')?.body).toEqual({
      name: 'Cy New',
      email: 'cy@example.com',
      role: 'agent',
    });
  });

  it('are told by mail where the server sends mails, and the link is not shown', async () => {
    const server = accountServer().on('POST /app/api/admin/members', {
      data: { member, invitation: { url: null, expires_at: null, mailed: true } },
    });
    const { user } = await renderApp(server, '/settings/members');
    await user.click(await button('Invite a member'));
    await fill(user, 'Name', 'Cy New');
    await fill(user, 'Email', 'cy@example.com');
    await user.click(await inDialog('Invite a member'));
    await text('Cy New gets it by email. It works once, for 72 hours.');
    expect(screen.queryByLabelText('One-time link')).toBeNull();
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
    const { user } = await renderApp(server, '/settings/members');
    await user.click(await button('Invite a member'));
    await fill(user, 'Name', 'Cy New');
    await fill(user, 'Email', 'bo@example.com');
    await user.click(await inDialog('Invite a member'));
    await text('is already a member');
    expect(screen.getByLabelText('Email').getAttribute('aria-invalid')).toBe('true');
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
    const { user } = await renderApp(server, '/settings');
    await user.click(await button('Set up an authenticator app'));
    await fill(user, 'Password', 'correct horse battery');
    await user.click(await button('Go on'));
    await screen.findByDisplayValue('JBSWY3DP');
    expect(server.last('POST /app/api/profile/second-factor')?.body).toEqual({
      password: 'correct horse battery',
    });
    await screen.findByRole('img', { name: 'QR code for your authenticator app' });
    await fill(user, 'Code from the app', '123 456');
    await user.click(await button('Switch it on'));
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
    const { user } = await renderApp(server, '/settings');
    const proof = { password: 'correct horse battery', code: '123456' };
    const prove = async (action: string) => {
      await fill(user, 'Password', proof.password);
      await fill(user, 'Current code', '123 456');
      await user.click(await inDialog(action));
    };
    await user.click(await button('Set up another app'));
    await prove('Go on');
    await screen.findByDisplayValue('JBSWY3DP');
    expect(server.last('POST /app/api/profile/second-factor')?.body).toEqual(proof);
    await user.click(await button('Cancel'));
    await user.click(await button('Switch it off'));
    await prove('Switch it off');
    await text('The second factor is off.');
    expect(server.last('POST /app/api/profile/second-factor/remove')?.body).toEqual(proof);
  });
});

describe('linking a phone', () => {
  it('shows a QR code at once and a pairing code, until it is linked', async () => {
    let pairing: Pairing = { status: 'waiting', qr: '2@abc', code: null, expires_at: null };
    const server = accountServer()
      .on('GET /app/api/admin/connections', page([phone]))
      .on('POST /app/api/admin/connections/{id}/pairing', ({ body }) => {
        if ((body as { phone?: string }).phone) pairing = { ...pairing, code: 'ABCDEFGH' };
        return { data: pairing };
      })
      .on('GET /app/api/admin/connections/{id}/pairing', () => ({ data: pairing }));
    const { user } = await renderApp(server, '/settings/channels');
    await user.click(await screen.findByRole('link', { name: 'Link the phone' }));
    await screen.findByRole('img', { name: 'QR code that links the phone' });
    await fill(user, 'Without a camera: the phone’s number', '+14155550123');
    await user.click(await button('Get a code'));
    await text('ABCD-EFGH');
    pairing = { ...pairing, status: 'connected', qr: null, code: null };
    server.on('GET /app/api/admin/connections', page([{ ...phone, status: 'connected' as const }]));
    await text('The phone is linked.');
    await waitFor(() =>
      expect(screen.queryByRole('img', { name: 'QR code that links the phone' })).toBeNull(),
    );
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
  const { user } = await renderApp(server, '/settings/canned-replies');
  await text('2 files');
  await user.click(await button('Edit visit'));
  await text('map.pdf');
  await user.upload(
    screen.getByLabelText('Files that are sent with it', { selector: 'input' }),
    new File(['hi'], 'hours.txt', { type: 'text/plain' }),
  );
  await text('hours.txt');
  await user.click(await button('Remove map.pdf'));
  await user.click(await button('Save'));
  await waitFor(() => expect(server.count('PATCH /canned-replies/{id}')).toBe(1));
  expect(server.last('PATCH /canned-replies/{id}')?.body).toEqual({
    shortcut: 'visit',
    body: 'Come by.',
    media_ids: ['f2', 'f3'],
  });
});
