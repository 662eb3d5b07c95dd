import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { accountServer, page, session } from '@/testing/data';
import { button, fill, noText, renderApp, text } from '@/testing/render';
import { Refusal } from '@/testing/server';
import { bookingSource, form } from '@/testing/setup';

const AT = '2026-01-31T09:30:00.000Z';

const dialog = async (name: string) => within(await screen.findByRole('dialog', { name }));

describe('forms', () => {
  it('are created with the websites as people write them, and then shown', async () => {
    const made = { ...form, id: 'f2', name: 'Quotes' };
    const server = accountServer().on('POST /app/api/admin/forms', { data: made });
    const { user, router } = await renderApp(server, '/settings/forms');
    await user.click(await button('Create a form'));
    await fill(user, 'Name', 'Quotes');
    await fill(user, 'Websites', 'shop.example{Enter}https://example.com/contact');
    server.on('GET /app/api/admin/forms', page([made, form]));
    await user.click(await (await dialog('Create a form')).findByRole('button', { name: 'Create a form' }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/settings/forms/f2'));
    expect(server.last('POST /app/api/admin/forms')?.body).toEqual({
      name: 'Quotes',
      origins: ['https://shop.example', 'https://example.com'],
    });
  });

  it('show their address, their HTML, their preview and what was sent', async () => {
    await renderApp(accountServer(), '/settings/forms/f1');
    await screen.findByDisplayValue('https://desk.example/forms/tok1');
    await text('<iframe src="https://desk.example/forms/tok1" title="Contact us"');
    await text('<form action="https://desk.example/forms/tok1" method="post">');
    await text('These websites may send it: https://shop.example.');
    await text('Do you ship to Norway?');
    // The frame's content is tested in Chromium: happy-dom loads none.
    await screen.findByTitle('As visitors see it');
  });

  it('of any website have no frame', async () => {
    const server = accountServer().on('GET /app/api/admin/forms', page([{ ...form, origins: [] }]));
    await renderApp(server, '/settings/forms/f1');
    await text('Any website may send it.');
    await noText('<iframe src=');
  });

  it('show live what is sent, and only what was sent by them', async () => {
    const inquiry = { id: 'i2', form: 'Contact us', name: 'Dee', email: null, phone: null, fields: {} };
    const more = {
      source_url: null,
      contact_id: null,
      status: 'new' as const,
      created_at: AT,
      updated_at: AT,
    };
    const server = accountServer().on('GET /inquiries', page([]));
    await renderApp(server, '/settings/forms/f1');
    await text('Nothing was sent yet.');
    const sent = { ...inquiry, ...more, message: 'A quote, please.' };
    const other = { ...sent, id: 'i3', form: 'Careers', name: 'Zed' };
    server.on('GET /inquiries', page([sent, other]));
    server.emit({ event_id: 'evt_1', event_type: 'inquiry.created', data: { inquiry: sent } });
    await text('A quote, please.');
    await noText('Zed');
  });

  it('send what was changed of them, and nothing else', async () => {
    const server = accountServer().on('PATCH /app/api/admin/forms/{id}', {
      data: { ...form, button_text: 'Ask' },
    });
    const { user } = await renderApp(server, '/settings/forms/f1');
    await fill(user, 'Text of the button', 'Ask');
    await user.click(await button('Remove Phone'));
    await user.click(await button('Move Message up'));
    await user.click(await button(/^Save/));
    await waitFor(() =>
      expect(server.last('PATCH /app/api/admin/forms/{id}')?.body).toEqual({
        button_text: 'Ask',
        fields: [
          { key: 'name', label: 'Name', required: false },
          { key: 'message', label: 'Message', required: true },
          { key: 'email', label: 'Email', required: true },
        ],
      }),
    );
  });

  it('say at a field what is wrong with it', async () => {
    const wrong = { path: 'fields.1.label', message: 'must not be blank' };
    const server = accountServer().on(
      'PATCH /app/api/admin/forms/{id}',
      () => new Refusal(400, { code: 'validation_error', message: 'Wrong.', details: [wrong] }),
    );
    const { user } = await renderApp(server, '/settings/forms/f1');
    const [, email] = await screen.findAllByLabelText('Label');
    await user.clear(email as HTMLElement);
    await user.click(await button(/^Save/));
    await text('must not be blank');
    expect(email?.getAttribute('aria-invalid')).toBe('true');
  });

  it('are deleted after a question', async () => {
    const server = accountServer().on('DELETE /app/api/admin/forms/{id}', {
      data: { id: 'f1', deleted: true },
    });
    const { user, router } = await renderApp(server, '/settings/forms/f1');
    await user.click(await button('Delete'));
    server.on('GET /app/api/admin/forms', page([]));
    await user.click(await (await dialog('Delete the form')).findByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/settings/forms'));
    await text('No forms yet');
  });

  it('stay when they could not be deleted, and say why', async () => {
    const server = accountServer().on(
      'DELETE /app/api/admin/forms/{id}',
      () => new Refusal(500, { code: 'internal', message: 'Broken.' }),
    );
    const { user, router } = await renderApp(server, '/settings/forms/f1');
    await user.click(await button('Delete'));
    await user.click(await (await dialog('Delete the form')).findByRole('button', { name: 'Delete' }));
    await text('The server had a problem.');
    expect(router.state.location.pathname).toBe('/settings/forms/f1');
  });
});

describe('calendars', () => {
  it('show the address and the secret to enter at Cal.com, the secret once', async () => {
    const server = accountServer()
      .on('GET /app/api/admin/booking-sources', page([]))
      .on('POST /app/api/admin/booking-sources', { data: { ...bookingSource, secret: 's3cret' } });
    const { user } = await renderApp(server, '/settings/booking-sources');
    await text('No calendar is connected');
    const [first] = await screen.findAllByRole('button', { name: 'Connect Cal.com' });
    await user.click(first as HTMLElement);
    server.on('GET /app/api/admin/booking-sources', page([bookingSource]));
    await user.click(
      await (await dialog('Connect Cal.com')).findByRole('button', { name: 'Connect Cal.com' }),
    );
    const added = await dialog('Enter this at Cal.com');
    added.getByDisplayValue('s3cret');
    const [close] = added.getAllByRole('button', { name: 'Close' });
    await user.click(close as HTMLElement);
    await screen.findByDisplayValue(bookingSource.url);
    await waitFor(() => expect(screen.queryByDisplayValue('s3cret')).toBeNull());
    expect(server.last('POST /app/api/admin/booking-sources')?.body).toEqual({ name: 'Cal.com' });
  });

  it('are removed after a question', async () => {
    const server = accountServer().on('DELETE /app/api/admin/booking-sources/{id}', {
      data: { id: 'b1', deleted: true },
    });
    const { user } = await renderApp(server, '/settings/booking-sources');
    await user.click(await button('Delete Cal.com'));
    server.on('GET /app/api/admin/booking-sources', page([]));
    await user.click(await (await dialog('Remove the calendar')).findByRole('button', { name: 'Delete' }));
    await text('No calendar is connected');
  });
});

it.each([
  '/settings/forms',
  '/settings/forms/f1',
  '/settings/branding',
  '/settings/booking-sources',
  '/settings/data',
])('%s is not for agents', async (path) => {
  const server = accountServer().on('GET /app/api/session', { data: { ...session, role: 'agent' } });
  await renderApp(server, path);
  await text('For admins only');
  expect(server.asked.filter(({ operation }) => operation.includes('/admin/'))).toEqual([]);
});

it.each([
  ['/inquiries', 'Create a form', '/app/settings/forms'],
  ['/bookings', 'Connect Cal.com', '/app/settings/booking-sources'],
])('%s leads an admin to what fills it, and nobody else', async (path, name, target) => {
  const empty = () => accountServer().on('GET /inquiries', page([])).on('GET /bookings', page([]));
  await renderApp(empty(), path);
  const link = await screen.findByRole('link', { name });
  expect(link.getAttribute('href')).toBe(target);
  cleanup();
  await renderApp(empty().on('GET /app/api/session', { data: { ...session, role: 'agent' } }), path);
  await screen.findByRole('heading', { level: 2 });
  expect(screen.queryByRole('link', { name })).toBeNull();
});
