import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Ask } from '@/api/schema';
import { accountServer, ask, page, run, session } from '@/testing/data';
import { button, noText, renderApp, text } from '@/testing/render';
import { Refusal } from '@/testing/server';

const question: Ask = {
  ...ask,
  id: 'q2',
  kind: 'question',
  tool: null,
  arguments: null,
  prompt: 'Which colour?',
};
const conflict = () => new Refusal(409, { code: 'conflict', message: 'The ask is approved already.' });
const answered = (more: Partial<Ask>): Ask => ({ ...ask, answered_at: ask.created_at, ...more });

/** A server with asks that remembers their answers. */
function asking(...asks: Ask[]) {
  const ended = { approve: 'approved', decline: 'declined' } as const;
  return accountServer()
    .on('GET /asks', page(asks))
    .on('GET /runs', page([{ ...run, status: 'waiting' as const, pending_asks: asks }]))
    .on(
      'GET /members',
      page([
        { id: 'bo', name: 'Bo Agent', email: 'bo@example.com', role: 'owner' as const, status: 'active' },
        { id: 'cy', name: 'Cy Clerk', email: 'cy@example.com', role: 'agent' as const, status: 'active' },
      ]),
    )
    .on('POST /asks/{id}/answer', ({ path, body }) => {
      const { decision, note, answer } = body as {
        decision?: keyof typeof ended;
        note?: string;
        answer?: string;
      };
      const found = asks.find(({ id }) => path.includes(id)) ?? ask;
      const status: Ask['status'] = decision ? ended[decision] : 'answered';
      return { data: { ...found, status, answer: note ?? answer ?? null, answered_by: 'bo' } };
    });
}
const emit = (server: ReturnType<typeof asking>, type: string, data: Ask) =>
  server.emit({ event_id: `evt_${type}_${data.id}`, event_type: type, data: { ask: data } });
const given = (server: ReturnType<typeof asking>) => server.last('POST /asks/{id}/answer')?.body;

describe('approvals', () => {
  it('show the contact, the conversation and what would happen, and a badge', async () => {
    await renderApp(asking(ask), '/approvals');
    await text('Helper wants to: Delete a deal');
    const details = await screen.findByRole('region', { name: 'What would happen' });
    await within(details).findByText('Deletes a deal for good.');
    await within(details).findByRole('link', { name: 'Forty chairs' });
    const about = await screen.findByRole('region', { name: 'About' });
    await within(about).findByRole('link', { name: 'Ann Lee' });
    await within(about).findByRole('link', { name: 'Open the conversation' });
    await screen.findByRole('link', { name: /Approvals 1 waiting/ });
  });

  it('of a program say which key asks, and belong to no run', async () => {
    const prompt = 'The program with the key “Morning triage” wants to send this message: Hello Ann.';
    const held: Ask = {
      ...ask,
      run_id: null,
      assistant_id: null,
      tool: 'send_message',
      prompt,
      arguments: { conversation_id: 'c1', text: 'Hello Ann.' },
    };
    const server = asking(held);
    const { user } = await renderApp(server, '/approvals');
    await text('A program wants to: Send a message');
    await text(prompt);
    const details = await screen.findByRole('region', { name: 'What would happen' });
    await within(details).findByText('Hello Ann.');
    await within(details).findByRole('link', { name: 'Open the conversation' });
    expect(screen.queryByRole('link', { name: 'Show the run' })).toBeNull();
    await user.keyboard('o');
    await text('Approved');
    expect(given(server)).toEqual({ decision: 'approve' });
  });

  it('are approved by one key', async () => {
    const server = asking(ask, question);
    const { user } = await renderApp(server, '/approvals');
    await button(/^Approve/);
    await user.keyboard('o');
    await text('Approved');
    expect(given(server)).toEqual({ decision: 'approve' });
    await screen.findByRole('link', { name: /Approvals 1 waiting/ });
    // The next is unfolded, and has the focus.
    const next = await button(/Helper asks/);
    await waitFor(() => expect(document.activeElement).toBe(next));
    expect(next.getAttribute('aria-expanded')).toBe('true');
  });

  it('do not approve the next one while the key is held down', async () => {
    const server = asking(ask, { ...ask, id: 'q3' });
    const { user } = await renderApp(server, '/approvals');
    await button(/^Approve/);
    await user.keyboard('{o>5/}');
    await text('Approved');
    expect(server.count('POST /asks/{id}/answer')).toBe(1);
  });

  it('are declined with a note by one key', async () => {
    const server = asking(ask);
    const { user } = await renderApp(server, '/approvals');
    await button(/^Decline/);
    await user.keyboard('d');
    const note = await screen.findByLabelText('Note to the assistant (optional)');
    await waitFor(() => expect(document.activeElement).toBe(note));
    await user.keyboard('Keep it.{Control>}{Enter}{/Control}');
    await text('Declined by you');
    await text('“Keep it.”');
    expect(given(server)).toEqual({ decision: 'decline', note: 'Keep it.' });
  });

  it('answer a question by one key, and do not send an empty answer', async () => {
    const server = asking(question);
    const { user } = await renderApp(server, '/approvals');
    await text('Which colour?');
    expect((await button(/Send the answer/)).hasAttribute('disabled')).toBe(true);
    await user.keyboard('w');
    await user.keyboard('Green.{Control>}{Enter}{/Control}');
    await text('Answered by you');
    expect(given(server)).toEqual({ answer: 'Green.' });
  });

  it('say who was first when two answer at once, and keep what was not sent', async () => {
    const server = asking(ask, question)
      .on('POST /asks/{id}/answer', conflict)
      .on('GET /asks/{id}', { data: answered({ status: 'approved', answered_by: 'cy' }) });
    const { user } = await renderApp(server, '/approvals');
    await button(/^Decline/);
    await user.keyboard('d');
    await user.keyboard('No.{Control>}{Enter}{/Control}');
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toBe('Cy Clerk was first. Your answer was not used.');
    await text('Approved by Cy Clerk');
    await text('Not sent: “No.”');
    // The keys are not for another ask now.
    await user.keyboard('o');
    expect(server.count('POST /asks/{id}/answer')).toBe(1);
  });

  it('show a colleague’s answer live, without turning to another ask', async () => {
    const server = asking(ask, { ...ask, id: 'q3' });
    const { user } = await renderApp(server, '/approvals');
    await button(/^Approve/);
    emit(server, 'ask.answered', answered({ status: 'declined', answered_by: 'cy', answer: 'Not now.' }));
    await text('Declined by Cy Clerk');
    await screen.findByRole('link', { name: /Approvals 1 waiting/ });
    await user.keyboard('o');
    expect(server.count('POST /asks/{id}/answer')).toBe(0);
    await user.keyboard('j');
    await user.keyboard('o');
    await waitFor(() => expect(server.count('POST /asks/{id}/answer')).toBe(1));
  });

  it('show why an answer was not taken, and take it again with the same key', async () => {
    const keys: Array<string | null> = [];
    let fails = true;
    const server = asking(ask).on('POST /asks/{id}/answer', ({ headers }) => {
      keys.push(headers.get('idempotency-key'));
      if (fails) return new Refusal(503, { code: 'internal', message: 'Busy.' });
      return { data: answered({ status: 'approved', answered_by: 'bo' }) };
    });
    const { user } = await renderApp(server, '/approvals');
    await user.click(await button(/^Approve/));
    await screen.findByRole('alert');
    fails = false;
    await user.click(await button(/^Approve/));
    await text('Approved by you');
    expect(keys[0]).toBe(keys[1]);
  });

  it('say when the role may decline but not approve', async () => {
    const server = asking(ask).on(
      'POST /asks/{id}/answer',
      () => new Refusal(403, { code: 'forbidden', message: 'No.', reason: 'scope' }),
    );
    const { user } = await renderApp(server, '/approvals');
    await user.click(await button(/^Approve/));
    await text('Your role may not approve this.');
    expect(screen.queryByRole('button', { name: /^Approve/ })).toBeNull();
    await button(/^Decline/);
  });

  it('offer nothing to a member without the right', async () => {
    const scopes = session.scopes.filter((scope) => scope !== 'asks:answer');
    const server = asking(ask).on('GET /app/api/session', { data: { ...session, role: 'agent', scopes } });
    const { user } = await renderApp(server, '/approvals');
    await text('Your role may not answer this.');
    expect(screen.queryByRole('button', { name: /^Approve/ })).toBeNull();
    await user.keyboard('o');
    expect(server.count('POST /asks/{id}/answer')).toBe(0);
  });

  it('are not in the menu of a role that may not see them', async () => {
    const scopes = session.scopes.filter((scope) => !scope.startsWith('asks:'));
    const server = asking(ask).on('GET /app/api/session', { data: { ...session, role: 'agent', scopes } });
    await renderApp(server, '/contacts');
    await screen.findByRole('link', { name: 'Contacts' });
    expect(screen.queryByRole('link', { name: /Approvals/ })).toBeNull();
    expect(server.count('GET /asks')).toBe(0);
  });

  it('tell of a new one on any page, with a way to it', async () => {
    const server = asking();
    const { user } = await renderApp(server, '/contacts');
    await text('ann@example.com');
    emit(server, 'ask.created', ask);
    await text('Helper waits for a person');
    await user.click(await button('Open approvals'));
    await text('Helper wants to: Delete a deal');
    await noText('Nothing waits for you');
  });
});

describe('an ask in its conversation', () => {
  it('is answered above the composer', async () => {
    const server = asking(ask);
    const { user } = await renderApp(server, '/inbox/c1');
    const waits = await screen.findByRole('region', { name: 'The assistant waits for a person' });
    await within(waits).findByText('Helper wants to: Delete a deal');
    await user.click(await within(waits).findByRole('button', { name: /^Approve/ }));
    await within(waits).findByText('Approved by you');
    expect(given(server)).toEqual({ decision: 'approve' });
  });

  it('appears live', async () => {
    const asks: Ask[] = [];
    const server = asking().on('GET /runs', () => page([{ ...run, pending_asks: asks }]));
    await renderApp(server, '/inbox/c1');
    await text('Prefers mornings.');
    asks.push(ask);
    emit(server, 'ask.created', ask);
    await screen.findByRole('region', { name: 'The assistant waits for a person' });
  });
});
