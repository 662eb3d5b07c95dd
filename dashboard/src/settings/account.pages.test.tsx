import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { AccountDetail } from '@/api/schema';
import { accountServer } from '@/testing/data';
import { button, fill, noText, renderApp, text } from '@/testing/render';
import { Refusal } from '@/testing/server';

const AT = '2026-01-31T09:30:00.000Z';
const account: AccountDetail = {
  id: 'acme',
  name: 'Acme',
  timezone: 'Europe/Berlin',
  country: 'DE',
  ai_budget_usd: null,
  ai_budget_max_usd: null,
  model: null,
  models: null,
  sending_hours: null,
  business_hours: null,
  rate_limit: 60,
  contact_limit: null,
  broadcast_limit: null,
  created_at: AT,
  updated_at: AT,
};

const section = async (name: string) => {
  const heading = await screen.findByRole('heading', { name, level: 2 });
  return within(heading.closest('section') as HTMLElement);
};

describe('hours', () => {
  it('are changed by weekday and stored, and only they', async () => {
    const server = accountServer().on('PATCH /app/api/admin/account', ({ body }) => ({
      data: { ...account, ...(body as object) },
    }));
    const { user } = await renderApp(server, '/settings/account');
    const business = await section('Business hours');
    await user.click(business.getByRole('switch', { name: 'Always open' }));
    await user.click(business.getByRole('button', { name: /Remove .* Friday/ }));
    await user.click(business.getByRole('button', { name: 'Save' }));
    await text('Saved.');
    const week = ['mon', 'tue', 'wed', 'thu'].map((day) => [day, [['09:00', '17:00']]]);
    expect(server.last('PATCH /app/api/admin/account')?.body).toEqual({
      business_hours: Object.fromEntries(week),
    });
    await waitFor(() => expect(business.queryByRole('button', { name: 'Save' })).toBeNull());
  });

  it('go back to always by null', async () => {
    const stored = { ...account, sending_hours: { mon: [['08:00', '12:00']] } };
    const server = accountServer()
      .on('GET /app/api/admin/account', { data: stored })
      .on('PATCH /app/api/admin/account', { data: account });
    const { user } = await renderApp(server, '/settings/account');
    const sending = await section('Sending hours');
    await user.click(sending.getByRole('switch', { name: 'At any time' }));
    await user.click(sending.getByRole('button', { name: 'Save' }));
    await text('Saved.');
    expect(server.last('PATCH /app/api/admin/account')?.body).toEqual({ sending_hours: null });
  });

  it('keep what was changed when the server refuses it, and can be discarded', async () => {
    const server = accountServer().on(
      'PATCH /app/api/admin/account',
      () => new Refusal(400, { code: 'bad_request', message: 'This is not possible: hours overlap.' }),
    );
    const { user } = await renderApp(server, '/settings/account');
    const business = await section('Business hours');
    await user.click(business.getByRole('switch', { name: 'Always open' }));
    await user.click(business.getByRole('button', { name: 'Save' }));
    await text('hours overlap');
    await user.click(business.getByRole('button', { name: 'Discard' }));
    await waitFor(() => expect(business.getByRole('switch').getAttribute('aria-checked')).toBe('true'));
  });
});

describe('assistants', () => {
  it('get a budget and a model', async () => {
    const server = accountServer().on('PATCH /app/api/admin/account', ({ body }) => ({
      data: { ...account, ...(body as object) },
    }));
    const { user } = await renderApp(server, '/settings/account');
    await fill(user, 'Budget a month in US dollars', '25.5');
    await fill(user, 'Model', 'gpt-5-mini');
    await user.click((await section('Assistants')).getByRole('button', { name: 'Save' }));
    await text('Saved.');
    expect(server.last('PATCH /app/api/admin/account')?.body).toEqual({
      ai_budget_usd: 25.5,
      model: 'gpt-5-mini',
    });
  });

  it('choose among the models that the operator allows, below the operator’s budget', async () => {
    const limited = { ...account, models: ['small', 'large'], ai_budget_max_usd: 50 };
    const server = accountServer().on('GET /app/api/admin/account', { data: limited });
    const { user } = await renderApp(server, '/settings/account');
    await text('At most 50');
    await user.click(await screen.findByRole('combobox', { name: 'Model' }));
    const options = await screen.findAllByRole('option');
    expect(options.slice(1).map((option) => option.textContent)).toEqual(['small', 'large']);
  });
});

it('finds a time zone by a part of its name, and sends only what was changed', async () => {
  const server = accountServer().on('PATCH /app/api/admin/account', { data: account });
  const { user } = await renderApp(server, '/settings/account');
  await fill(user, 'Time zone', 'vienna');
  expect((await screen.findAllByRole('option')).map(({ textContent }) => textContent)).toEqual([
    'Europe/Vienna',
  ]);
  await user.click(screen.getByRole('option'));
  await user.click((await section('Acme')).getByRole('button', { name: 'Save' }));
  await text('Saved.');
  expect(server.last('PATCH /app/api/admin/account')?.body).toEqual({ timezone: 'Europe/Vienna' });
});

describe('a colleague’s change', () => {
  /** An account that others change meanwhile. */
  const begin = async () => {
    let stored = account;
    const server = accountServer()
      .on('GET /app/api/admin/account', () => ({ data: stored }))
      .on('PATCH /app/api/admin/account', ({ body }) => ({ data: { ...stored, ...(body as object) } }));
    const { user } = await renderApp(server, '/settings/account');
    await screen.findByLabelText('Name of the business');
    const change = (changes: Partial<AccountDetail>) => {
      stored = { ...stored, ...changes };
      server.notice('changed', { resource: 'account' });
    };
    const shows = (label: string, value: string) =>
      waitFor(() => expect(screen.getByLabelText<HTMLInputElement>(label).value).toBe(value));
    return { server, user, change, shows };
  };
  const ELSEWHERE = { name: 'Acme Oak', timezone: 'Europe/Vienna', ai_budget_usd: 40, model: 'large' };

  it('shows at once in fields that were not touched', async () => {
    const { change, shows } = await begin();
    change(ELSEWHERE);
    await shows('Name of the business', 'Acme Oak');
    await shows('Time zone', 'Europe/Vienna');
    await shows('Budget a month in US dollars', '40');
    await shows('Model', 'large');
    expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
  });

  it('of another field stays, because only what was changed here is sent', async () => {
    const { server, user, change, shows } = await begin();
    await fill(user, 'Name of the business', 'Acme & Sons');
    change({ timezone: 'Europe/Vienna', ai_budget_usd: 40 });
    await shows('Time zone', 'Europe/Vienna');
    await shows('Name of the business', 'Acme & Sons');
    expect(screen.queryByRole('alert')).toBeNull();
    await user.click(await button('Save'));
    await text('Saved.');
    expect(server.last('PATCH /app/api/admin/account')?.body).toEqual({ name: 'Acme & Sons' });

    await fill(user, 'Model', 'small');
    await user.click(await button('Save'));
    await waitFor(() =>
      expect(server.last('PATCH /app/api/admin/account')?.body).toEqual({ model: 'small' }),
    );
  });

  it('of the same field is told, and shows once the own one is discarded', async () => {
    const { user, change, shows } = await begin();
    await fill(user, 'Name of the business', 'Acme & Sons');
    await fill(user, 'Budget a month in US dollars', '25');
    change(ELSEWHERE);
    await shows('Model', 'large');
    await shows('Name of the business', 'Acme & Sons');
    await shows('Budget a month in US dollars', '25');
    await waitFor(() =>
      expect(screen.getAllByText(/A colleague has changed this meanwhile/)).toHaveLength(2),
    );
    for (const each of await screen.findAllByRole('button', { name: 'Discard' })) await user.click(each);
    await shows('Name of the business', 'Acme Oak');
    await shows('Budget a month in US dollars', '40');
    expect(screen.queryByRole('alert')).toBeNull();
  });
});

it('tries again when the account cannot be read', async () => {
  const server = accountServer().on(
    'GET /app/api/admin/account',
    () => new Refusal(500, { code: 'internal', message: 'Broken.' }),
  );
  const { user } = await renderApp(server, '/settings/account');
  await text('The server had a problem.');
  await noText('Business hours');
  server.on('GET /app/api/admin/account', { data: account });
  await user.click(await button('Try again'));
  await text('Business hours');
});
