import { screen } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { keepGuide } from '@/firstSteps/kept';
import { accountServer, session } from '@/testing/data';
import { button, fill, noText, renderApp, text } from '@/testing/render';
import { Refusal } from '@/testing/server';

const signedOut = () => new Refusal(401, { code: 'unauthorized', message: 'Sign in.' });

// It would be opened after the first sign-in; `firstSteps.pages.test.tsx` is about that.
beforeEach(() => keepGuide(session, { seen: true }));

async function fillIn(user: UserEvent, password = 'correct horse battery') {
  await fill(user, 'Email', 'bo@example.com');
  await fill(user, 'Password', password);
  await user.click(await button('Sign in'));
}

describe('signing in', () => {
  it('leads to the page that was asked for', async () => {
    const server = accountServer()
      .on('GET /app/api/session', signedOut)
      .on('POST /app/api/session', { data: session });
    const { router, user } = await renderApp(server, '/deals?owner=bo&order=value');
    await text('Forgotten your password?');
    await fillIn(user);
    await text('Forty chairs');
    expect(router.state.location.pathname).toBe('/deals');
    expect(router.state.location.search).toMatchObject({ owner: 'bo', order: 'value' });
  });

  it('says the same whether the email or the password is wrong', async () => {
    const server = accountServer()
      .on('GET /app/api/session', signedOut)
      .on('POST /app/api/session', signedOut);
    const { user } = await renderApp(server, '/sign-in');
    await fillIn(user, 'wrong');
    await text('Email or password is wrong.');
  });

  it('asks for the code only when the server does, and sends it without spaces', async () => {
    const server = accountServer()
      .on('GET /app/api/session', signedOut)
      .on('POST /app/api/session', ({ body }) =>
        (body as { code?: string }).code
          ? { data: session }
          : new Refusal(401, { code: 'unauthorized', reason: 'code_required', message: 'A code is needed.' }),
      );
    const { user } = await renderApp(server, '/sign-in');
    await fillIn(user);
    await fill(user, 'Code', '123 456');
    await user.click(await button('Sign in'));
    await text('Is it still available?');
    expect(server.last('POST /app/api/session')?.body).toMatchObject({ code: '123456' });
  });

  it('says how long to wait after too many attempts', async () => {
    const server = accountServer()
      .on('GET /app/api/session', signedOut)
      .on('POST /app/api/session', () => new Refusal(429, { code: 'rate_limited', message: 'Too many.' }));
    const { user } = await renderApp(server, '/sign-in');
    await fillIn(user);
    await text('Too many requests.');
  });

  it('never leads to another host', async () => {
    const server = accountServer()
      .on('GET /app/api/session', signedOut)
      .on('POST /app/api/session', { data: session });
    const { router, user } = await renderApp(server, '/sign-in?next=%2F%2Fevil.example');
    await fillIn(user);
    await text('Is it still available?');
    expect(router.state.location.pathname).toBe('/inbox');
  });

  it('returns here when the session ends while working', async () => {
    const server = accountServer();
    const { client } = await renderApp(server, '/contacts');
    await text('ann@example.com');
    server.on('GET /contacts', signedOut);
    await client.invalidateQueries({ queryKey: ['contacts'] });
    await text('Your session has ended.');
  });

  it('says that the session has ended when the event stream notices it first', async () => {
    const server = accountServer();
    await renderApp(server, '/contacts');
    await text('ann@example.com');
    server.on('GET /app/api/session', signedOut).refuseStream();
    await text('Your session has ended.');
  });
});

describe('a lost password', () => {
  it('is replaced by mail where the server sends mails, and the page does not tell who is known', async () => {
    const server = accountServer()
      .on('GET /app/api/session', signedOut)
      .on('GET /app/api/sign-in', { data: { password_mails: true, provider: null, provider_only: false } })
      .on('POST /app/api/password/lost', { data: { ok: true } });
    const { user } = await renderApp(server, '/sign-in');
    await user.click(await screen.findByRole('link', { name: 'Forgot your password?' }));
    // The page before has a field of the same name.
    await text('You get a mail with a link to choose a new one.');
    await fill(user, 'Email', 'bo@example.com');
    await user.click(await button('Send me a link'));
    await text('If somebody has a login with this address, a mail with a link is on its way.');
    expect(server.last('POST /app/api/password/lost')?.body).toEqual({ email: 'bo@example.com' });
  });

  it('is for an admin where the server sends none', async () => {
    await renderApp(accountServer().on('GET /app/api/session', signedOut), '/sign-in');
    await text('Forgotten your password?');
    expect(screen.queryByRole('link', { name: 'Forgot your password?' })).toBeNull();
  });
});

const link = {
  email: 'bo@example.com',
  account_id: 'other',
  account_name: 'Other Ltd',
  invited_by: 'Ada Owner',
  sets_password: true,
  has_login: false,
};

describe('the link of an invitation', () => {
  it('takes the token out of the address and sets the password', async () => {
    const server = accountServer()
      .on('GET /app/api/session', signedOut)
      .on('POST /app/api/invitation/check', { data: link })
      .on('POST /app/api/password', { data: { email: 'bo@example.com' } });
    const { user } = await renderApp(server, '/password#token=one-time');
    await text('Choose your password');
    for (const shown of ['Other Ltd', 'Ada Owner', 'bo@example.com']) await text(shown);
    expect(location.hash).toBe('');
    await fill(user, 'New password', 'correct horse battery');
    await fill(user, 'New password, again', 'something else');
    await user.click(await button('Save the password'));
    await text('The two passwords differ.');
    await fill(user, 'New password, again', 'correct horse battery');
    await user.click(await button('Save the password'));
    await text('Your password is saved.');
    expect(server.last('POST /app/api/password')?.body).toEqual({
      token: 'one-time',
      password: 'correct horse battery',
    });
  });

  it('lets a person who has a login sign in to it and join', async () => {
    const server = accountServer()
      .on('GET /app/api/session', signedOut)
      .on('POST /app/api/invitation/check', { data: { ...link, sets_password: false, has_login: true } })
      .on('POST /app/api/session', ({ body }) =>
        (body as { code?: string }).code
          ? { data: session }
          : new Refusal(401, { code: 'unauthorized', reason: 'code_required', message: 'A code is needed.' }),
      )
      .on('POST /app/api/invitation', { data: session })
      .on('POST /app/api/session/account', { data: session });
    const { user } = await renderApp(server, '/password#token=one-time');
    await text('Join Other Ltd');
    await text('bo@example.com has a login already.');
    await noText('New password');
    await fill(user, 'Password', 'correct horse battery');
    await user.click(await button('Sign in'));
    await fill(user, 'Code', '123 456');
    expect(server.count('POST /app/api/invitation')).toBe(0);
    await user.click(await button('Sign in'));
    await text('Is it still available?');
    expect(server.last('POST /app/api/session')?.body).toEqual({
      email: 'bo@example.com',
      password: 'correct horse battery',
      code: '123456',
    });
    expect(server.last('POST /app/api/invitation')?.body).toEqual({ token: 'one-time' });
    expect(server.last('POST /app/api/session/account')?.body).toEqual({ account_id: 'other' });
    expect(server.count('POST /app/api/password')).toBe(0);
  });

  it('lets a person who is signed in join at once', async () => {
    const server = accountServer()
      .on('POST /app/api/invitation/check', { data: { ...link, has_login: true } })
      .on('POST /app/api/invitation', { data: session })
      .on('POST /app/api/session/account', { data: session });
    const { user } = await renderApp(server, '/password#token=one-time');
    await text('You have another login with this address.');
    await user.click(await button('Sign in and join'));
    await text('You are signed in as bo@example.com.');
    await user.click(await button('Join'));
    await text('Is it still available?');
  });

  it('says that it no longer works when the server does', async () => {
    const used = () => new Refusal(404, { code: 'not_found', message: 'Used.' });
    const server = accountServer()
      .on('GET /app/api/session', signedOut)
      .on('POST /app/api/invitation/check', used);
    await renderApp(server, '/password#token=one-time');
    await text('This link no longer works');
  });

  it('says what to do when it no longer works', async () => {
    await renderApp(accountServer().on('GET /app/api/session', signedOut), '/password');
    await text('This link no longer works');
    await noText('New password');
  });
});
