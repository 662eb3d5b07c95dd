import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Run, RunEvent } from '@/api/schema';
import { accountServer, ask, page, run, session } from '@/testing/data';
import { button, choose, noText, renderApp, text } from '@/testing/render';
import { Refusal } from '@/testing/server';

const reader = { ...session, scopes: session.scopes.filter((scope) => scope !== 'runs:start') };
const active: Run = { ...run, status: 'running', result: null, finished_at: null };
const at = run.created_at;
const step = (id: string, type: RunEvent['type'], data: unknown = {}): RunEvent => ({
  id,
  run_id: 'r1',
  type,
  data,
  created_at: at,
});
const emit = (server: ReturnType<typeof accountServer>, type: string, data: Run) =>
  server.emit({ event_id: `evt_${type}_${data.id}`, event_type: type, data: { run: data } });

describe('the list of runs', () => {
  it('counts those that are not over, also after an event', async () => {
    const server = accountServer();
    await renderApp(server, '/runs');
    await button('Waiting 2');
    await button('Running 1');
    await button('Queued');
    server.on('GET /app/api/runs/counts', { data: { queued: 3, running: 0, waiting: 2 } });
    server.emit({ event_id: 'e9', event_type: 'run.finished', data: { run } });
    await button('Queued 3');
    await button('Running');
  });

  it('narrows down by state and by assistant, in the address', async () => {
    const server = accountServer();
    const { user, router } = await renderApp(server, '/runs');
    await text('Answer the customer.');
    await user.click(await button('Failed'));
    await waitFor(() => expect(server.last('GET /runs')?.query.get('status')).toBe('failed'));
    await choose(user, 'Assistant', 'Helper');
    await waitFor(() => expect(server.last('GET /runs')?.query.get('assistant_id')).toBe('a1'));
    expect(router.state.location.search).toEqual({ status: 'failed', assistant: 'a1' });
  });

  it('shows a run as it begins and ends, without a reload', async () => {
    const server = accountServer();
    await renderApp(server, '/runs');
    await text('Answer the customer.');
    const started = { ...active, id: 's2', goal: 'Remind Ann.' };
    emit(server, 'run.started', started);
    await text('Remind Ann.');
    const row = (await screen.findByRole('link', { name: 'Remind Ann.' })).closest('li');
    await within(row as HTMLElement).findByText('Running');
    emit(server, 'run.finished', { ...started, status: 'failed', error: 'No.', finished_at: at });
    await within(row as HTMLElement).findByText('Failed');
  });

  it('takes a run out of a state that it has left', async () => {
    const server = accountServer().on('GET /runs', page([active]));
    await renderApp(server, '/runs?status=running');
    await text('Answer the customer.');
    server.on('GET /runs', page([]));
    emit(server, 'run.finished', run);
    await text('No run matches');
  });

  it('says why it cannot be read, and reads it again', async () => {
    const server = accountServer().on(
      'GET /runs',
      () => new Refusal(503, { code: 'internal', message: 'Busy.' }),
    );
    const { user } = await renderApp(server, '/runs');
    await screen.findByRole('alert');
    server.on('GET /runs', page([run]));
    await user.click(await button('Try again'));
    await text('Answer the customer.');
  });
});

describe('the page of a run', () => {
  it('shows the prompt, the model’s calls, and tools with input and result', async () => {
    const server = accountServer().on(
      'GET /runs/{id}/events',
      page([
        step('4', 'model_called', {
          model: 'sandbox',
          text: 'Yes, it is.',
          tokens_in: 900,
          tokens_out: 30,
          cost_usd: 0.002,
        }),
        step('3', 'tool_returned', { call_id: 'c', tool: 'search_deals', content: '{"found":1}' }),
        step('2', 'tool_called', { call_id: 'c', tool: 'search_deals', arguments: { q: 'chairs' } }),
        step('1', 'started'),
      ]),
    );
    await renderApp(server, '/runs/r1');
    await text('Search deals');
    await text('"q": "chairs"');
    await text('"found": 1');
    await text('900 in, 30 out · $0.002');
    const steps = screen.getAllByRole('listitem').map((item) => item.textContent ?? '');
    const order = ['Started', 'Search deals', 'Asked the model'].map((words) =>
      steps.findIndex((each) => each.includes(words)),
    );
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  it('adds steps as they happen', async () => {
    const steps = [step('1', 'started')];
    const server = accountServer()
      .on('GET /runs/{id}', { data: active })
      .on('GET /runs/{id}/events', () => page(steps.toReversed()));
    await renderApp(server, '/runs/r1');
    await text('Works on the next step…');
    const tell = () => server.notice('changed', { resource: 'runs', id: 'r1' });
    steps.push(step('2', 'tool_called', { call_id: 'c', tool: 'search_deals' }));
    tell();
    await text('At work…');
    steps.push(step('3', 'tool_returned', { call_id: 'c', tool: 'search_deals', content: 'Found.' }));
    tell();
    await text('Found.');
    server.on('GET /runs/{id}', { data: run });
    steps.push(step('4', 'finished', { result: 'Yes, it is.' }));
    tell();
    await text('Finished');
    await noText('Works on the next step…');
  });

  it('shows the tree of sub-runs', async () => {
    const child: Run = { ...run, id: 'r2', parent_run_id: 'r1', goal: 'Look for chairs.' };
    const server = accountServer()
      .on('GET /runs', ({ query }) => page(query.get('parent_run_id') === 'r1' ? [child] : []))
      .on('GET /runs/{id}', ({ path }) => ({ data: path.endsWith('r2') ? child : run }));
    const { user } = await renderApp(server, '/runs/r2');
    const link = await screen.findByRole('link', { name: 'Answer the customer.' });
    expect((await screen.findByRole('link', { name: /Look for chairs/ })).getAttribute('aria-current')).toBe(
      'page',
    );
    server.on('GET /runs/{id}/events', page([step('1', 'delegated', { run_id: 'r2' })]));
    await user.click(link);
    await waitFor(() => expect(link.getAttribute('aria-current')).toBe('page'));
  });

  it('cancels the run after a question', async () => {
    const server = accountServer()
      .on('GET /runs/{id}', { data: active })
      .on('POST /runs/{id}/cancel', () => {
        const cancelled: Run = { ...active, status: 'cancelled', error: 'Cancelled by a person.' };
        server.on('GET /runs/{id}', { data: cancelled });
        return { data: cancelled };
      });
    const { user } = await renderApp(server, '/runs/r1');
    await user.click(await button('Cancel the run'));
    const dialog = await screen.findByRole('dialog', { name: 'Cancel this run?' });
    await user.click(await within(dialog).findByRole('button', { name: 'Cancel the run' }));
    await text('Cancelled by a person.');
    expect(screen.queryByRole('button', { name: 'Cancel the run' })).toBeNull();
  });

  it('does not offer to cancel to a member without the right, nor when it has ended', async () => {
    const server = accountServer()
      .on('GET /app/api/session', { data: reader })
      .on('GET /runs/{id}', { data: active });
    await renderApp(server, '/runs/r1');
    await text('Timeline');
    expect(screen.queryByRole('button', { name: 'Cancel the run' })).toBeNull();
  });

  it('lets a person answer what the run waits for', async () => {
    const server = accountServer()
      .on('GET /runs/{id}', { data: { ...active, status: 'waiting' as const, pending_asks: [ask] } })
      .on('POST /asks/{id}/answer', { data: { ...ask, status: 'approved', answered_by: 'bo' } });
    const { user } = await renderApp(server, '/runs/r1');
    await text('Helper wants to: Delete a deal');
    await user.keyboard('o');
    await text('Approved by you');
  });
});
