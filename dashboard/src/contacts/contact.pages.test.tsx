import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { accountServer, contact, message, page, session } from '@/testing/data';
import { button, fill, renderApp } from '@/testing/render';
import { Refusal } from '@/testing/server';

describe('what is known about a contact', () => {
  const without = { ...contact, email: null };
  const nothingKnown = () => accountServer().on('GET /contacts/{id}', { data: without });

  it('is added and changed in place, by the keyboard alone', async () => {
    const server = nothingKnown().on('PATCH /contacts/{id}', ({ body }) => ({
      data: { ...without, ...(body as object) },
    }));
    const { user } = await renderApp(server, '/contacts/ann');
    (await button('Add email')).focus();
    await user.keyboard('{Enter}');
    await fill(user, 'Email', 'ann@new.example');
    await user.keyboard('{Enter}');
    await screen.findByRole('link', { name: 'ann@new.example' });
    expect(server.last('PATCH /contacts/{id}')?.body).toEqual({ email: 'ann@new.example' });
    await waitFor(() =>
      expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Edit Email' })),
    );
    await user.click(await button('Edit Company'));
    await fill(user, 'Company', 'Oak Ltd');
    await user.keyboard('{Escape}');
    await screen.findByText('Acme');
    expect(server.count('PATCH /contacts/{id}')).toBe(1);
  });

  it('keeps what was typed when the server refuses it, and says why', async () => {
    const server = nothingKnown().on(
      'PATCH /contacts/{id}',
      () =>
        new Refusal(422, {
          code: 'validation_error',
          message: 'No.',
          details: [{ path: 'email', message: 'is not an address' }],
        }),
    );
    const { user } = await renderApp(server, '/contacts/ann');
    await user.click(await button('Add email'));
    await fill(user, 'Email', 'ann@example.invalid');
    await user.click(await button('Save'));
    await screen.findByText('is not an address');
    expect((await screen.findByLabelText<HTMLInputElement>('Email')).value).toBe('ann@example.invalid');
  });

  it('has nothing to press for a member who may only read', async () => {
    const scopes = session.scopes.filter((scope) => scope !== 'contacts:write');
    const server = nothingKnown().on('GET /app/api/session', { data: { ...session, scopes } });
    await renderApp(server, '/contacts/ann');
    await screen.findByText('Acme');
    expect(screen.queryByRole('button', { name: /^(Add|Edit)/ })).toBeNull();
    expect(screen.queryByText('–')).toBeNull();
  });
});

describe("a contact's page", () => {
  it('starts a conversation by a template when there is none', async () => {
    const server = accountServer()
      .on('GET /conversations', page([]))
      .on('POST /messages', { data: message('m5', { direction: 'outbound', type: 'template' }) });
    const { router, user } = await renderApp(server, '/contacts/ann');
    await user.click(await button('Start a conversation'));
    await fill(user, 'Template', 'order');
    await user.click(await screen.findByRole('option', { name: 'order_update (en_US)' }));
    await fill(user, 'Value for 1', 'Ann');
    await user.click(await button('Send the template'));
    await waitFor(() => expect(router.state.location.pathname).toBe('/inbox/c1'));
    expect(server.last('POST /messages')?.body).toMatchObject({ to: { phone: '+14155550123' } });
  });

  it('leads to the contact that has a number already', async () => {
    const server = accountServer().on(
      'PATCH /contacts/{id}',
      () =>
        new Refusal(409, {
          code: 'conflict',
          message: 'Taken.',
          details: [{ path: 'phone', message: 'belongs to another contact', contact_id: 'bo' }],
        }),
    );
    const { user } = await renderApp(server, '/contacts/ann');
    await user.click(await button('Edit'));
    await fill(user, 'Phone', '+14155550199');
    await user.click(await button('Save'));
    await screen.findByText('belongs to another contact');
    await screen.findByRole('link', { name: 'Open the contact that has this number' });
  });

  it('is erased only after its name was typed', async () => {
    const server = accountServer().on('DELETE /contacts/{id}', { data: { id: 'ann', deleted: true } });
    const { router, user } = await renderApp(server, '/contacts/ann');
    await user.click(await button('More actions'));
    await user.click(await screen.findByRole('menuitem', { name: 'Erase for good' }));
    await user.click(await button('Erase'));
    expect(server.count('DELETE /contacts/{id}')).toBe(0);
    await fill(user, 'Type “Ann Lee” to confirm.', contact.name ?? '');
    await user.click(await button('Erase'));
    await waitFor(() => expect(router.state.location.pathname).toBe('/contacts'));
    expect(server.count('DELETE /contacts/{id}')).toBe(1);
  });
});

it('an empty list of contacts has the buttons that fill it', async () => {
  const server = accountServer().on('GET /contacts', page([]));
  await renderApp(server, '/contacts');
  await screen.findByText('No contacts yet');
  expect(screen.getAllByRole('button', { name: 'New contact' })).toHaveLength(2);
  expect(screen.getAllByRole('link', { name: 'Import' })).toHaveLength(2);
});
