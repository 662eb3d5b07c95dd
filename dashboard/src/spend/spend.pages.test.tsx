import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { accountServer, page, session } from '@/testing/data';
import { button, fill, renderApp, text } from '@/testing/render';
import { Refusal } from '@/testing/server';
import { usageToday } from '@/testing/spend';

describe('the spend page', () => {
  it('shows this month against the budget, by day, model and assistant', async () => {
    await renderApp(accountServer(), '/spend');
    const meter = await screen.findByRole('meter', { name: 'Part of the budget that is spent' });
    expect(meter.getAttribute('aria-valuenow')).toBe('25');
    expect(meter.getAttribute('aria-valuetext')).toBe('$12.50 of $50.00');
    const models = await screen.findByRole('table', { name: 'By model' });
    within(models).getByRole('row', { name: /gpt-5-mini \$12\.50 420 310,000 9,000/ });
    const assistants = await screen.findByRole('table', { name: 'By assistant' });
    await within(assistants).findByText('Helper');
  });

  it('reads the days out one by one', async () => {
    const server = accountServer().on('GET /ai/usage', {
      data: usageToday({
        from: '2026-02-01',
        to: '2026-02-28',
        by_day: [{ date: '2026-02-27', spent_usd: 0.0031, calls: 2, tokens_in: 1, tokens_out: 1 }],
      }),
    });
    const { user } = await renderApp(server, '/spend?month=2026-02');
    const plot = await screen.findByRole('slider', { name: 'By day' });
    plot.focus();
    expect(plot.getAttribute('aria-valuetext')).toBe('Feb 28, 2026: $0.00, model calls: 0');
    await user.keyboard('{ArrowLeft}');
    expect(plot.getAttribute('aria-valuetext')).toBe('Feb 27, 2026: $0.0031, model calls: 2');
    await user.keyboard('{Home}');
    expect(plot.getAttribute('aria-valuenow')).toBe('1');
  });

  it('asks for another month by its days', async () => {
    const server = accountServer();
    const { user } = await renderApp(server, '/spend?month=2026-03');
    await user.click(await screen.findByRole('link', { name: 'The month before' }));
    await waitFor(() =>
      expect([...(server.last('GET /ai/usage')?.query ?? [])]).toEqual([
        ['from', '2026-02-01'],
        ['to', '2026-02-28'],
      ]),
    );
  });

  it('downloads the numbers, and a name that looks like a formula stays text', async () => {
    const parts: string[] = [];
    // The fake browser would go to the file's address.
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
    vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
      void (blob as Blob).text().then((written) => parts.push(written));
      return 'blob:x';
    });
    const costs = { spent_usd: 1.5, calls: 3, tokens_in: 4, tokens_out: 5 };
    const server = accountServer().on('GET /ai/usage', {
      data: usageToday({ by_model: [{ model: '=HYPERLINK("x")', ...costs }] }),
    });
    const { user } = await renderApp(server, '/spend');
    await user.click(await button(/^Download as CSV: .*models/));
    await waitFor(() => expect(parts).toHaveLength(1));
    expect(parts[0]).toBe('model,cost_usd,calls,tokens_in,tokens_out\r\n"\'=HYPERLINK(""x"")",1.5,3,4,5');
  });

  it('changes the budget, and says why not', async () => {
    const server = accountServer().on(
      'PATCH /app/api/admin/account',
      () =>
        new Refusal(422, {
          code: 'unprocessable',
          reason: 'over_operator_limit',
          message: 'The operator allows at most $100.',
        }),
    );
    const { user } = await renderApp(server, '/spend');
    await user.click(await button('Change the budget'));
    await fill(user, 'Budget a month in US dollars', '500');
    await user.click(await button('Save'));
    await text('The operator allows at most $100.');
    expect(server.last('PATCH /app/api/admin/account')?.body).toEqual({ ai_budget_usd: 500 });
  });

  it('shows what a run has cost when it ends', async () => {
    const server = accountServer();
    await renderApp(server, '/spend');
    await screen.findByRole('meter');
    const reads = server.count('GET /ai/usage');
    server.emit({
      event_id: 'evt_1',
      event_type: 'run.finished',
      data: { run: { id: 'r1', trigger_id: null } },
    });
    await waitFor(() => expect(server.count('GET /ai/usage')).toBeGreaterThan(reads));
  });

  it('names the dearest runs of the month, and says when they cannot be read', async () => {
    const server = accountServer();
    const { user, router } = await renderApp(server, '/spend?month=2026-01');
    const list = await screen.findByRole('list', { name: 'Dearest runs' });
    await within(list).findByText('$0.002');
    expect(server.last('GET /app/api/spend/runs')?.query.get('from')).toBe('2026-01-01');
    await user.click(within(list).getByRole('link', { name: 'Answer the customer.' }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/runs/r1'));
    server.on('GET /app/api/spend/runs', () => new Refusal(503, { code: 'internal', message: 'Try again.' }));
    await router.navigate({ to: '/spend' });
    const again = await button('Try again');
    server.on('GET /app/api/spend/runs', page([]));
    await user.click(again);
    await text('No run has cost anything.');
  });

  it('is not shown to an agent', async () => {
    const agent = { ...session, role: 'agent' as const, scopes: ['contacts:read'] };
    const server = accountServer().on('GET /app/api/session', { data: agent });
    await renderApp(server, '/spend');
    await text('For admins only');
    expect(server.count('GET /ai/usage')).toBe(0);
  });
});
