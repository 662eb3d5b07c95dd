import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { TriggerCall } from '@/api/schema';
import { accountServer, page, session } from '@/testing/data';
import { button, choose, fill, renderApp, text } from '@/testing/render';
import { Refusal } from '@/testing/server';
import { trigger, triggerCall } from '@/testing/triggers';

const inDialog = async (name: string) =>
  within(await screen.findByRole('dialog')).findByRole('button', { name });
const section = async (heading: string) =>
  within((await screen.findByRole('heading', { name: heading })).closest('section') as HTMLElement);

describe('the editor', () => {
  it('creates a trigger of a kind with the fields of that kind alone', async () => {
    const server = accountServer().on('POST /triggers', { data: { trigger, webhook_url: null } });
    const { user, router } = await renderApp(server, '/triggers/new');
    await fill(user, 'Name', 'Welcome');
    await fill(user, 'Goal', 'Say hello.');
    await user.click(await screen.findByRole('radio', { name: /After an event/ }));
    expect(screen.queryByRole('heading', { name: 'Who it is about' })).toBeNull();
    await choose(user, 'Event', 'When a booking is over');
    await user.click(await button('Save'));
    await waitFor(() => expect(router.state.location.pathname).toBe('/triggers/t1'));
    expect(server.last('POST /triggers')?.body).toMatchObject({
      name: 'Welcome',
      kind: 'event',
      event_key: 'booking.completed',
      period: null,
      send_time: null,
      audience_type: 'none',
      enabled: false,
    });
  });

  it('makes no new trigger for an agent, who may only read them', async () => {
    const server = accountServer().on('GET /app/api/session', { data: { ...session, role: 'agent' } });
    await renderApp(server, '/triggers/new');
    await screen.findByRole('heading', { name: 'For admins only' });
    expect(screen.queryByLabelText('Goal')).toBeNull();
  });

  it('writes out the next five times, as they are changed', async () => {
    const { user } = await renderApp(accountServer(), '/triggers/t1');
    const times = await section('Next times');
    expect(await times.findAllByRole('listitem')).toHaveLength(5);
    for (const item of times.getAllByRole('listitem')) expect(item.textContent).toContain('Monday');
    await choose(user, 'Weekday', 'Friday');
    await waitFor(() => {
      for (const item of times.getAllByRole('listitem')) expect(item.textContent).toContain('Friday');
    });
  });

  it('says who is affected before it is saved, and when that cannot be read', async () => {
    const server = accountServer();
    const { user } = await renderApp(server, '/triggers/t1');
    await (await section('Who would be affected')).findByText('2 runs, one for each contact.');
    await choose(user, 'Weekday', 'Friday');
    await (await section('Who would be affected')).findByText('One run, about 1 contact.');
    await waitFor(() =>
      expect(server.last('POST /app/api/triggers/preview')?.body).toMatchObject({
        assistant_id: 'a1',
        day_of_week: 5,
        segment_id: 'g1',
      }),
    );
    server.on(
      'POST /app/api/triggers/preview',
      () => new Refusal(404, { code: 'not_found', message: 'Gone.' }),
    );
    await choose(user, 'Weekday', 'Sunday');
    await (await section('Who would be affected')).findByRole('alert');
  });

  it('shows the address of a webhook trigger once, with a command', async () => {
    const hook = { ...trigger, kind: 'webhook' as const, audience_type: 'none' as const };
    const url = 'https://desk.example/api/ai/triggers/hook/secret';
    const server = accountServer()
      .on('GET /triggers/{id}', { data: hook })
      .on('POST /triggers/{id}/token', { data: { trigger: hook, webhook_url: url } });
    const { user } = await renderApp(server, '/triggers/t1');
    await user.click(await button('New address'));
    await user.click(await inDialog('New address'));
    await screen.findByDisplayValue(url);
    const shown = within(await screen.findByRole('dialog', { name: 'Address' }));
    expect((await shown.findByRole('region', { name: 'curl command' })).textContent).toContain(
      `curl -X POST '${url}'`,
    );
  });

  it('shows the last calls of a webhook trigger, and new ones as they come', async () => {
    const hook = { ...trigger, kind: 'webhook' as const, audience_type: 'none' as const };
    const refused: TriggerCall = {
      ...triggerCall,
      id: 'k0',
      outcome: 'invalid',
      status_code: 400,
      error: 'bad_request',
      run_id: null,
      count: 12,
      body: '{ no json',
    };
    const server = accountServer()
      .on('GET /triggers/{id}', { data: hook })
      .on('GET /triggers/{id}/calls', page([refused]));
    const { user, client } = await renderApp(server, '/triggers/t1');
    const calls = await section('Last calls');
    await user.click(await calls.findByText('Invalid'));
    await calls.findByText('12 times');
    expect(calls.getByRole('region', { name: 'Body of the call' }).textContent).toContain('{ no json');
    calls.getByText(/HTTP 400 · bad_request · from 203\.0\.113\.7 · 15 byte/);
    expect(calls.queryByRole('link')).toBeNull();
    server.on('GET /triggers/{id}/calls', page([triggerCall, refused]));
    await client.invalidateQueries({ queryKey: ['trigger-calls', 't1'] });
    await user.click(await calls.findByText('Run started'));
    expect((await calls.findByRole('link', { name: 'Show the run' })).getAttribute('href')).toContain(
      '/runs/r1',
    );
    expect(calls.getAllByRole('listitem')).toHaveLength(2);
  });

  it('shows ten calls first, says that there are none, and that they cannot be read', async () => {
    const hook = { ...trigger, kind: 'webhook' as const, audience_type: 'none' as const };
    const many = Array.from({ length: 50 }, (_, index) => ({ ...triggerCall, id: `k${index}` }));
    const server = accountServer()
      .on('GET /triggers/{id}', { data: hook })
      .on('GET /triggers/{id}/calls', page(many));
    const { user, client } = await renderApp(server, '/triggers/t1');
    const calls = await section('Last calls');
    expect(await calls.findAllByRole('listitem')).toHaveLength(10);
    await user.click(calls.getByRole('button', { name: 'Show all 50' }));
    expect(calls.getAllByRole('listitem')).toHaveLength(50);
    server.on('GET /triggers/{id}/calls', page([]));
    await client.invalidateQueries({ queryKey: ['trigger-calls', 't1'] });
    await calls.findByText('Nobody has called it in the last 30 days.');
    server.on('GET /triggers/{id}/calls', () => new Refusal(500, { code: 'internal', message: 'Broken.' }));
    await client.invalidateQueries({ queryKey: ['trigger-calls', 't1'] });
    await calls.findByRole('alert');
  });

  it('asks for no calls of a trigger without an address', async () => {
    const server = accountServer();
    await renderApp(server, '/triggers/t1');
    await section('Next times');
    expect(server.count('GET /triggers/{id}/calls')).toBe(0);
    expect(screen.queryByRole('heading', { name: 'Last calls' })).toBeNull();
  });

  it('says why it was not saved, and keeps what was typed', async () => {
    const server = accountServer().on(
      'PATCH /triggers/{id}',
      () => new Refusal(400, { code: 'validation_error', message: 'The goal is too long.' }),
    );
    const { user } = await renderApp(server, '/triggers/t1');
    await fill(user, 'Name', 'Other');
    await user.click(await button('Save'));
    await text('The goal is too long.');
    expect(screen.getByDisplayValue('Other')).toBeTruthy();
  });

  it('does not overwrite what is typed when somebody else changes the trigger', async () => {
    const server = accountServer();
    const { user, client } = await renderApp(server, '/triggers/t1');
    await fill(user, 'Name', 'Mine');
    server.on('GET /triggers/{id}', { data: { ...trigger, name: 'Theirs' } });
    await client.invalidateQueries({ queryKey: ['trigger', 't1'] });
    await text('Somebody else has changed this trigger.');
    expect(screen.getByDisplayValue('Mine')).toBeTruthy();
    await user.click(await button('Show the change, and drop mine'));
    await screen.findByDisplayValue('Theirs');
  });

  it('offers nothing to change to a member who may only read', async () => {
    const agent = {
      ...session,
      role: 'agent' as const,
      scopes: ['contacts:read', 'assistants:read', 'runs:read'],
    };
    const server = accountServer().on('GET /app/api/session', { data: agent });
    await renderApp(server, '/triggers/t1');
    const name = await screen.findByDisplayValue('Monday follow-up');
    expect(name.closest('fieldset')?.disabled).toBe(true);
    for (const action of ['Save', 'Delete', 'Run now'])
      expect(screen.queryByRole('button', { name: action })).toBeNull();
  });
});

describe('a test run', () => {
  it('asks first, and shows the runs', async () => {
    const server = accountServer().on('POST /triggers/{id}/run', { data: { trigger, runs: [] } });
    const { user } = await renderApp(server, '/triggers/t1');
    await user.click(await button('Run now'));
    await text('Real runs start now for 2 contacts');
    expect(server.count('POST /triggers/{id}/run')).toBe(0);
    await user.click(await inDialog('Run now'));
    await text('0 runs have started.');
    expect(server.last('POST /triggers/{id}/run')?.headers.get('idempotency-key')).toBeTruthy();
  });

  it('says why it was refused', async () => {
    const server = accountServer().on(
      'POST /triggers/{id}/run',
      () => new Refusal(422, { code: 'unprocessable', reason: 'assistant_disabled', message: 'Disabled.' }),
    );
    const { user } = await renderApp(server, '/triggers/t1');
    await user.click(await button('Run now'));
    await user.click(await inDialog('Run now'));
    await within(screen.getByRole('dialog')).findByRole('alert');
  });
});

describe('the list', () => {
  it('offers to create the first', async () => {
    await renderApp(accountServer().on('GET /triggers', page([])), '/triggers');
    await text('No triggers yet');
    expect(await screen.findAllByRole('link', { name: 'New trigger' })).toHaveLength(2);
  });

  it('says why the last firing started no run', async () => {
    const failed = { ...trigger, last_error: 'segment_missing' };
    await renderApp(accountServer().on('GET /triggers', page([failed])), '/triggers');
    await text('Its segment was deleted.');
  });
});
