import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { DealChange, Run } from '@/api/schema';
import { accountServer, assistant, contact, deal, message, page, run, session } from '@/testing/data';
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

  it('keeps what a colleague changes while its form is open', async () => {
    const server = accountServer()
      .on('GET /custom-fields', page([{ id: 'plan', name: 'Plan', type: 'text', options: [] } as never]))
      .on('PATCH /contacts/{id}', { data: contact });
    const { user } = await renderApp(server, '/contacts/ann');
    await user.click(await button('Edit'));
    await fill(user, 'Company', 'Oak Ltd');
    const phone = '+14155550199';
    server.emit({
      event_id: 'evt_1',
      event_type: 'contact.updated',
      data: { contact: { ...contact, phone, name: 'Ann Weber' } },
    });
    await waitFor(() => expect(screen.getAllByText(phone)).not.toEqual([]));
    await user.click(await button('Save'));
    await waitFor(() => expect(server.last('PATCH /contacts/{id}')?.body).toEqual({ company: 'Oak Ltd' }));
    await user.click(await button('Edit'));
    await fill(user, 'Plan', 'silver');
    await user.click(await button('Save'));
    await waitFor(() =>
      expect(server.last('PATCH /contacts/{id}')?.body).toEqual({ custom_fields: { plan: 'silver' } }),
    );
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

it('a deal keeps what a colleague changes while its form is open, and its contact that is not read yet', async () => {
  const server = accountServer()
    // Its contact is never read.
    .on('GET /contacts/{id}', () => new Promise(() => undefined))
    .on('PATCH /deals/{id}', ({ body }) => ({ data: { ...deal, ...(body as object) } }));
  const { user } = await renderApp(server, '/deals/d1');
  await user.click(await button('Edit the deal'));
  await fill(user, 'Value', '2500');
  server.emit({
    event_id: 'evt_1',
    event_type: 'deal.updated',
    data: { deal: { ...deal, title: 'Fifty chairs', updated_at: '2026-03-01T09:30:00.000Z' }, previous: {} },
  });
  await screen.findByRole('heading', { name: 'Fifty chairs', hidden: true });
  await user.click(await button('Save'));
  await waitFor(() => expect(server.last('PATCH /deals/{id}')?.body).toEqual({ value: 2500 }));
});

describe('what happened to the deals of a contact', () => {
  const change = (id: string, kind: DealChange['kind'], more: Partial<DealChange> = {}): DealChange => ({
    id,
    deal_id: 'd1',
    kind,
    old_value: null,
    new_value: null,
    by_user_id: null,
    by_assistant_id: null,
    by_key_id: null,
    by_key_name: null,
    created_at: `2026-02-0${id}T09:00:00.000Z`,
    ...more,
  });
  const line = (words: string) =>
    screen.findByText((_, found) => found?.textContent === words, { selector: 'div' });

  it('is in its timeline, with who did it', async () => {
    const server = accountServer().on(
      'GET /app/api/contacts/{id}/deal-changes',
      page([
        change('7', 'lost', { new_value: 'Too late', by_key_id: 'k1', by_key_name: 'Shop' }),
        change('6', 'stage', { old_value: 's1', new_value: 'gone', by_assistant_id: 'nobody' }),
        change('5', 'contact', { old_value: null, new_value: 'ann' }),
        change('4', 'owner', { old_value: 'bo' }),
        change('3', 'expected_close_date', { new_value: '2026-02-28' }),
        change('2', 'value', { old_value: '1200 EUR', new_value: '1999.5 EUR', by_user_id: 'bo' }),
        change('1', 'created', { by_user_id: 'bo' }),
      ]),
    );
    await renderApp(server, '/contacts/ann');
    await line('Forty chairs · lost: Too late · API key Shop');
    await line('Forty chairs · Stage: from Lead to a former stage · Former assistant');
    await line('Forty chairs · Contact: Ann Lee');
    await line('Forty chairs · Owner: Bo Agent removed');
    await line('Forty chairs · Expected to close: Feb 28, 2026');
    await line('Forty chairs · Value: from €1,200 to €1,999.50 · Bo Agent');
    // Once, although the deal itself says so, too.
    await line('Forty chairs · created · Bo Agent');
    expect(screen.queryByText(/created · €/)).toBeNull();
  });

  it('comes a page at a time, and shows what a colleague changes', async () => {
    const first = {
      data: [change('9', 'reopened')],
      meta: { next_cursor: 'older', has_more: true, limit: 1 },
    };
    const server = accountServer().on('GET /app/api/contacts/{id}/deal-changes', ({ query }) =>
      query.get('cursor') === 'older'
        ? page([change('8', 'title', { old_value: 'Chairs', new_value: 'Forty chairs' })])
        : first,
    );
    const { user } = await renderApp(server, '/deals/d1');
    await line('reopened');
    await user.click(await button('Load more'));
    await line('Title: from “Chairs” to “Forty chairs”');
    server.on(
      'GET /app/api/contacts/{id}/deal-changes',
      page([change('9', 'won', { by_user_id: 'bo' }), change('5', 'created', { deal_id: 'd2' })]),
    );
    server.emit({
      event_id: 'evt_1',
      event_type: 'deal.closed',
      data: { deal: { ...deal, status: 'won' }, previous: { status: 'open' } },
    });
    // The changes of this deal need no title, those of the contact's other deals do.
    await line('won · Bo Agent');
    await line('Deal · created');
  });

  it('is on the page of a deal without a contact, too', async () => {
    const server = accountServer()
      .on('GET /deals/{id}', { data: { ...deal, contact_id: null } })
      .on('GET /app/api/deals/{id}/changes', page([change('9', 'reopened')]));
    await renderApp(server, '/deals/d1');
    await line('reopened');
    expect(server.count('GET /app/api/contacts/{id}/deal-changes')).toBe(0);
  });

  it('is not asked for by a member who may not read deals', async () => {
    const scopes = session.scopes.filter((scope) => !scope.startsWith('deals:'));
    const server = accountServer().on('GET /app/api/session', { data: { ...session, scopes } });
    await renderApp(server, '/contacts/ann');
    await screen.findByRole('heading', { name: 'Timeline' });
    expect(server.count('GET /app/api/contacts/{id}/deal-changes')).toBe(0);
  });
});

describe('the timeline of a contact', () => {
  const entries = () => screen.findAllByRole('listitem');
  const timeline = async () =>
    within((await screen.findByRole('heading', { name: 'Timeline' })).closest('section') as HTMLElement);

  it('has what assistants did, without sub-runs, and the opt-out', async () => {
    const of = (id: string, more: Partial<Run>) => ({
      ...run,
      id,
      contact_id: 'ann',
      assistant_id: assistant.id,
      ...more,
    });
    const server = accountServer()
      .on(
        'GET /runs',
        page([
          of('r1', { goal: 'Ask for a review', status: 'succeeded', parent_run_id: null }),
          of('r2', { goal: 'A part of it', parent_run_id: 'r1' }),
        ]),
      )
      .on('GET /contacts/{id}/opt-out', {
        data: {
          contact_id: 'ann',
          opted_out: true,
          opted_out_at: '2026-02-01T09:30:00.000Z',
          source: 'whatsapp',
        },
      });
    await renderApp(server, '/contacts/ann');
    const list = await timeline();
    await list.findByText('Ask for a review');
    expect(list.getByRole('link', { name: assistant.name }).getAttribute('href')).toBe('/app/runs/r1');
    await list.findByText('Opted out of broadcasts · WhatsApp');
    expect(list.queryByText('A part of it')).toBeNull();
    expect(server.last('GET /runs')?.query.get('contact_id')).toBe('ann');
  });

  it('says which parts could not be read, and reads them again', async () => {
    const broken = () => new Refusal(500, { code: 'internal', message: 'Broken.' });
    const server = accountServer().on('GET /bookings', broken).on('GET /runs', broken);
    const { user } = await renderApp(server, '/contacts/ann');
    const list = await timeline();
    await list.findByText('Not in this timeline, because it could not be read: Bookings, Runs.');
    expect((await entries()).length).toBeGreaterThan(0);
    const asked = server.count('GET /conversations');
    server.on('GET /bookings', page([])).on('GET /runs', page([{ ...run, goal: 'Say thanks' }]));
    await user.click(await button('Try again'));
    await list.findByText('Say thanks');
    await waitFor(() => expect(list.queryByRole('alert')).toBeNull());
    expect(server.count('GET /conversations')).toBe(asked);
  });
});
