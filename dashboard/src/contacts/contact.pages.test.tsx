import { describe, expect, it } from 'vitest';
import { accountServer, contact, message, page } from '@/testing/data';
import { click, renderApp, text, type, waitFor } from '@/testing/render';
import { Refusal } from '@/testing/server';

describe("a contact's page", () => {
  it('starts a conversation by a template when there is none', async () => {
    const server = accountServer()
      .on('GET /conversations', page([]))
      .on('POST /messages', { data: message('m5', { direction: 'outbound', type: 'template' }) });
    const { router } = await renderApp(server, '/contacts/ann');
    await click('Start a conversation', 'button');
    await type('Template', 'order');
    await click('order_update (en_US)', '[role="option"]');
    await type('Value for 1', 'Ann');
    await click('Send the template', 'button');
    await waitFor(() => router.state.location.pathname === '/inbox/c1', 'the conversation');
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
    await renderApp(server, '/contacts/ann');
    await click('Edit', 'button');
    await type('Phone', '+14155550199');
    await click('Save', 'button');
    await text('belongs to another contact');
    await text('Open the contact that has this number');
  });

  it('is erased only after its name was typed', async () => {
    const server = accountServer().on('DELETE /contacts/{id}', { data: { id: 'ann', deleted: true } });
    const { router } = await renderApp(server, '/contacts/ann');
    await click('More actions', 'button');
    await click('Erase for good');
    await click('Erase', 'button');
    expect(server.count('DELETE /contacts/{id}')).toBe(0);
    await type('Type “Ann Lee” to confirm.', contact.name ?? '');
    await click('Erase', 'button');
    await waitFor(() => router.state.location.pathname === '/contacts', 'the list');
    expect(server.count('DELETE /contacts/{id}')).toBe(1);
  });
});
