import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { accountServer, contact, message, page } from '@/testing/data';
import { button, fill, renderApp } from '@/testing/render';
import { Refusal } from '@/testing/server';

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
