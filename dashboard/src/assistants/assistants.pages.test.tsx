import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import type { Assistant } from '@/api/schema';
import { trialReply } from '@/testing/assistants';
import { accountServer, assistant, assistantTools, page, session } from '@/testing/data';
import { button, choose, fill, noText, renderApp, text } from '@/testing/render';
import { Refusal } from '@/testing/server';

afterEach(() => localStorage.clear());

const reader = { ...session, scopes: session.scopes.filter((scope) => scope !== 'assistants:write') };

/** A server that stores an assistant. */
function storing() {
  let stored: Assistant = assistant;
  let bound: string[] = [];
  let tools = assistantTools;
  const library = [
    { id: 'i1', title: 'Refunds', body: 'Within 30 days.', created_at: '', updated_at: '' },
    { id: 'i2', title: 'Hours', body: 'Nine to five.', created_at: '', updated_at: '' },
  ];
  const server = accountServer()
    .on('GET /app/api/session', { data: session })
    .on('GET /assistants', () => page([stored]))
    .on('GET /assistants/{id}', () => ({ data: stored }))
    .on('GET /assistants/{id}/tools', () => page(tools))
    .on('GET /instructions', page(library))
    .on('GET /assistants/{id}/instructions', () =>
      page(bound.flatMap((id) => library.filter((each) => each.id === id))),
    )
    .on('PATCH /assistants/{id}', ({ body }) => {
      stored = { ...stored, ...(body as Partial<Assistant>) };
      return { data: stored };
    })
    .on('PUT /assistants/{id}/tools', ({ body }) => {
      const { tool_access: access } = body as { tool_access: Record<string, boolean> };
      tools = tools.map((tool) => ({ ...tool, enabled: access[tool.id] ?? tool.default_enabled }));
      return page(tools);
    })
    .on('PUT /assistants/{id}/instructions', ({ body }) => {
      bound = (body as { instruction_ids: string[] }).instruction_ids;
      return page(library.filter(({ id }) => bound.includes(id)));
    });
  const change = (more: Partial<Assistant>) => {
    stored = { ...stored, ...more };
  };
  return { server, change };
}

const prompt = () => screen.findByLabelText<HTMLTextAreaElement>('Prompt');
const save = () => button(/^Save/);

describe('the list of assistants', () => {
  it('creates one and opens it', async () => {
    const { server } = storing();
    server.on('POST /assistants', { data: assistant });
    const { user, router } = await renderApp(server, '/assistants');
    await user.click(await button('New assistant'));
    await fill(user, 'Name', 'Robin');
    await user.click(await button('Create'));
    await waitFor(() => expect(router.state.location.pathname).toBe('/assistants/a1'));
    expect(server.last('POST /assistants')?.body).toEqual({ name: 'Robin' });
  });

  it('has a button for the first one', async () => {
    const server = accountServer()
      .on('GET /app/api/session', { data: session })
      .on('GET /assistants', page([]));
    await renderApp(server, '/assistants');
    await text('No assistant yet');
    await button('New assistant');
  });

  it('offers nothing to a member without the right', async () => {
    await renderApp(accountServer().on('GET /app/api/session', { data: reader }), '/assistants');
    await text('Helper');
    expect(screen.queryByRole('button', { name: 'New assistant' })).toBeNull();
  });
});

describe('the editor', () => {
  it('saves only what has changed, by a key', async () => {
    const { server } = storing();
    const { user } = await renderApp(server, '/assistants/a1');
    await user.clear(await prompt());
    await user.type(await prompt(), 'Be brief.');
    await text('1 unsaved change');
    await user.keyboard('{Control>}s{/Control}');
    await text('Saved. It works like this from now on.');
    expect(server.last('PATCH /assistants/{id}')?.body).toEqual({ system_prompt: 'Be brief.' });
    expect(server.count('PUT /assistants/{id}/tools')).toBe(0);
    await noText('unsaved change');
  });

  it('switches tools, and says which a person always approves', async () => {
    const { server } = storing();
    const { user } = await renderApp(server, '/assistants/a1');
    await user.click(await screen.findByRole('switch', { name: 'Delete a deal' }));
    await text('A person always approves this');
    await user.click(await screen.findByLabelText('Add a tag: ask a person each time'));
    await user.click(await save());
    await text('Saved. It works like this from now on.');
    expect(server.last('PUT /assistants/{id}/tools')?.body).toEqual({
      tool_access: { delete_deal: true },
      gated_tools: ['add_tag'],
      unconfined_tools: [],
    });
    expect(server.count('PATCH /assistants/{id}')).toBe(0);
  });

  it('says that an older assistant has the channel, and takes it off that one', async () => {
    const { server } = storing();
    let older: Assistant = { ...assistant, id: 'a0', name: 'Robin', targets: ['whatsapp', 'web_chat'] };
    server
      .on('GET /assistants', () => page([older, assistant]))
      .on('GET /assistants/{id}', ({ path }) => ({ data: path.endsWith('/a0') ? older : assistant }))
      .on('PATCH /assistants/{id}', ({ body }) => {
        older = { ...older, ...(body as Partial<Assistant>) };
        return { data: older };
      });
    const { user } = await renderApp(server, '/assistants/a1');
    await user.click(await screen.findByLabelText('Web chat'));
    await user.click(await button('Take the channel off Robin: Web chat'));
    await noText(
      'Robin is older and has this channel too: Web chat. The older one takes the new conversations.',
    );
    expect(server.last('PATCH /assistants/{id}')?.body).toEqual({ targets: ['whatsapp'] });
    // One's own change is still unsaved.
    await text('1 unsaved change');
  });

  it('binds instructions in their order', async () => {
    const { server } = storing();
    const { user } = await renderApp(server, '/assistants/a1');
    for (const title of ['Refunds', 'Hours']) {
      await user.click(await screen.findByLabelText('Add from the library'));
      await user.click(await screen.findByRole('option', { name: title }));
    }
    await user.click(await button('Move Hours up'));
    await user.click(await save());
    await waitFor(() =>
      expect(server.last('PUT /assistants/{id}/instructions')?.body).toEqual({
        instruction_ids: ['i2', 'i1'],
      }),
    );
  });

  it('sets hours by weekday', async () => {
    const { server } = storing();
    const { user } = await renderApp(server, '/assistants/a1');
    await choose(user, 'Hours', 'At these hours');
    await user.click(await button('Remove 09:00 to 17:00 on Friday'));
    await user.click(await button('Add hours on Monday'));
    await user.click(await save());
    await waitFor(() => expect(server.count('PATCH /assistants/{id}')).toBe(1));
    const day = [['09:00', '17:00']];
    expect(server.last('PATCH /assistants/{id}')?.body).toEqual({
      schedule: {
        mode: 'custom_hours',
        hours: { mon: [...day, ['17:00', '23:59']], tue: day, wed: day, thu: day },
      },
    });
  });

  it('keeps unsaved changes over a reload, and asks before they go', async () => {
    const { server } = storing();
    const first = await renderApp(server, '/assistants/a1');
    await first.user.type(await prompt(), ' And brief.');
    await text('1 unsaved change');
    const { user } = await renderApp(server, '/assistants/a1');
    await waitFor(async () =>
      expect((await screen.findAllByLabelText<HTMLTextAreaElement>('Prompt')).at(-1)?.value).toBe(
        'Be helpful. And brief.',
      ),
    );
    await user.click((await screen.findAllByRole('button', { name: 'Discard' })).at(-1) as HTMLElement);
    const dialog = await screen.findByRole('dialog', { name: 'Discard your changes?' });
    await user.click(within(dialog).getByRole('button', { name: 'Discard' }));
    await waitFor(() => expect(localStorage.length).toBe(0));
  });

  it('asks before the page is left, and keeps or discards', async () => {
    const { server } = storing();
    const { user, router } = await renderApp(server, '/assistants/a1');
    await user.type(await prompt(), ' And brief.');
    await user.click(await screen.findByRole('link', { name: 'Contacts' }));
    await user.click(await button('Keep editing'));
    expect(router.state.location.pathname).toBe('/assistants/a1');
    await user.click(await screen.findByRole('link', { name: 'Back to assistants' }));
    await user.click(await button('Leave, keep the changes'));
    await text('Unsaved changes');
    expect(router.state.location.pathname).toBe('/assistants');
  });

  it('takes a colleague’s change of another field, and does not overwrite it', async () => {
    const { server, change } = storing();
    const { user } = await renderApp(server, '/assistants/a1');
    await user.type(await prompt(), ' And brief.');
    change({ name: 'Robin' });
    await user.click(await save());
    await text('Saved. It works like this from now on.');
    expect(server.last('PATCH /assistants/{id}')?.body).toEqual({ system_prompt: 'Be helpful. And brief.' });
    expect((await screen.findByLabelText<HTMLInputElement>('Name')).value).toBe('Robin');
  });

  it('shows when a colleague has changed the same field, before it is replaced', async () => {
    const { server, change } = storing();
    const { user } = await renderApp(server, '/assistants/a1');
    await user.type(await prompt(), ' And brief.');
    change({ system_prompt: 'Be kind.' });
    await user.click(await save());
    await text('Somebody else has changed this too: Prompt.');
    expect(server.count('PATCH /assistants/{id}')).toBe(0);
    await user.click(await button('Take theirs'));
    expect((await prompt()).value).toBe('Be kind.');
    await noText('unsaved change');
  });

  it('shows the server’s words at the field, and keeps what was typed', async () => {
    const { server } = storing();
    server.on(
      'PATCH /assistants/{id}',
      () =>
        new Refusal(422, {
          code: 'validation_failed',
          message: 'No.',
          details: [{ path: 'model', message: 'Is not offered here.' }],
        }),
    );
    const { user } = await renderApp(server, '/assistants/a1');
    await fill(user, 'Model', 'gpt-99');
    await user.click(await save());
    await text('Is not offered here.');
    expect((await screen.findByLabelText<HTMLInputElement>('Model')).value).toBe('gpt-99');
    await text('1 unsaved change');
  });

  it('keeps as a change only what was not stored when a part of it fails', async () => {
    const { server } = storing();
    server.on('PUT /assistants/{id}/tools', () => new Refusal(503, { code: 'internal', message: 'Busy.' }));
    const { user } = await renderApp(server, '/assistants/a1');
    await user.type(await prompt(), ' And brief.');
    await user.click(await screen.findByRole('switch', { name: 'Delete a deal' }));
    await text('2 unsaved changes');
    await user.click(await save());
    await text('1 unsaved change');
    await screen.findByRole('alert');
  });

  it('is there to read for a member without the right', async () => {
    await renderApp(accountServer().on('GET /app/api/session', { data: reader }), '/assistants/a1');
    await text('Only owners and admins can change assistants.');
    expect((await prompt()).closest('fieldset')?.disabled).toBe(true);
    expect(screen.queryByRole('button', { name: 'Delete the assistant' })).toBeNull();
    expect(screen.queryByLabelText('What should it remember?')).toBeNull();
  });

  it('remembers and forgets facts', async () => {
    const { server } = storing();
    server
      .on('POST /memories', ({ body }) => ({
        data: {
          id: 'y2',
          assistant_id: 'a1',
          contact_id: null,
          source: 'member' as const,
          created_at: '',
          ...(body as { content: string }),
        },
      }))
      .on('DELETE /memories/{id}', { data: { id: 'y1', deleted: true } });
    const { user } = await renderApp(server, '/assistants/a1');
    await fill(user, 'What should it remember?', 'Closed on Mondays.');
    await user.click(await button('Remember'));
    await waitFor(() =>
      expect(server.last('POST /memories')?.body).toEqual({
        content: 'Closed on Mondays.',
        assistant_id: 'a1',
      }),
    );
    await user.click(await button('Forget this: Likes oak.'));
    const dialog = await screen.findByRole('dialog', { name: 'Forget this?' });
    await user.click(within(dialog).getByRole('button', { name: 'Forget this' }));
    await waitFor(() => expect(server.count('DELETE /memories/{id}')).toBe(1));
  });
});

describe('the chat beside the editor', () => {
  it('answers with the unsaved version, and shows every tool call and its cost', async () => {
    const { server } = storing();
    const { user } = await renderApp(server, '/assistants/a1');
    await user.clear(await prompt());
    await user.type(await prompt(), 'Be brief.');
    await user.type(await screen.findByLabelText('Message of a customer'), 'Tag me as VIP{Enter}');
    const chat = await screen.findByRole('list', { name: 'Conversation with the assistant' });
    await within(chat).findByText('You are tagged.');
    within(chat).getByText('Tag me as VIP');
    within(chat).getByText('Simulated');
    within(chat).getByText('Add a tag');
    await text('This chat: $0.002');
    const body = server.last('POST /app/api/assistants/{id}/trial')?.body;
    expect(body).toMatchObject({
      draft: { system_prompt: 'Be brief.', name: 'Helper' },
      messages: [{ from: 'customer', text: 'Tag me as VIP' }],
    });
    expect(server.count('PATCH /assistants/{id}')).toBe(0);
    await user.type(await screen.findByLabelText('Message of a customer'), 'Thanks{Enter}');
    await waitFor(() =>
      expect(server.last('POST /app/api/assistants/{id}/trial')?.body).toMatchObject({
        messages: [
          { from: 'customer', text: 'Tag me as VIP' },
          { from: 'assistant', text: 'You are tagged.' },
          { from: 'customer', text: 'Thanks' },
        ],
      }),
    );
    await user.click(await button('Start over'));
    await noText('You are tagged.');
  });

  it('tells the provider’s words when the model fails, and tries the same again', async () => {
    const { server } = storing();
    const failed = () =>
      new Refusal(503, {
        code: 'internal',
        reason: 'model_failed',
        message: 'The model failed: no such model.',
      });
    server.on('POST /app/api/assistants/{id}/trial', failed);
    const { user } = await renderApp(server, '/assistants/a1');
    await user.type(await screen.findByLabelText('Message of a customer'), 'Hello');
    await user.click(await button('Send'));
    await text('The model failed: no such model.');
    server.on('POST /app/api/assistants/{id}/trial', { data: trialReply });
    await user.click(await button('Try again'));
    await text('You are tagged.');
    expect(server.last('POST /app/api/assistants/{id}/trial')?.body).toMatchObject({
      messages: [{ from: 'customer', text: 'Hello' }],
    });
  });

  it('is not offered to a member who may not change assistants', async () => {
    await renderApp(accountServer().on('GET /app/api/session', { data: reader }), '/assistants/a1');
    await text('Only owners and admins can change assistants.');
    expect(screen.queryByLabelText('Message of a customer')).toBeNull();
  });
});

describe('versions', () => {
  it('are compared with the assistant, and one is restored', async () => {
    const { server, change } = storing();
    server.on('POST /app/api/assistants/{id}/versions/{version_id}/restore', () => {
      change({ name: 'Helper, restored' });
      return { data: { ...assistant, name: 'Helper, restored' } };
    });
    const { user } = await renderApp(server, '/assistants/a1');
    await user.click(await button('Versions'));
    const dialog = await screen.findByRole('dialog', { name: 'Versions' });
    const list = await within(dialog).findByRole('list', { name: 'Versions, the newest first' });
    expect(within(list).getAllByRole('button')).toHaveLength(2);
    within(list).getByText('Tools');
    await user.click(within(list).getByRole('button', { name: /Version 1/ }));
    const comparison = await within(dialog).findByRole('region', { name: /^Comparison/ });
    await within(comparison).findByText('Add a tag: Off');
    within(comparison).getByText('Add a tag: On');
    await user.click(within(dialog).getByRole('button', { name: 'Restore version 1' }));
    await text('Version 1 is restored.');
    await screen.findByRole('heading', { name: 'Helper, restored' });
    const asked = server.last('POST /app/api/assistants/{id}/versions/{version_id}/restore');
    expect(asked?.path).toBe('/app/api/assistants/a1/versions/v1/restore');
  });

  it('can be read but not restored without the right', async () => {
    const { server } = storing();
    server.on('GET /app/api/session', { data: reader });
    const { user } = await renderApp(server, '/assistants/a1');
    await user.click(await button('Versions'));
    const dialog = await screen.findByRole('dialog', { name: 'Versions' });
    await within(dialog).findByText('Add a tag: Off');
    expect(within(dialog).queryByRole('button', { name: /^Restore/ })).toBeNull();
  });
});
