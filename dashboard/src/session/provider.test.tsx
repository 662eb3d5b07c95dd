import { afterEach, describe, expect, it, vi } from 'vitest';
import { keepGuide } from '@/firstSteps/kept';
import { accountServer, session } from '@/testing/data';
import { button, noText, renderApp, text } from '@/testing/render';
import { Refusal } from '@/testing/server';
import { keepNext, takeNext } from './provider';

const signedOut = () => new Refusal(401, { code: 'unauthorized', message: 'Sign in.' });
const visitor = () =>
  accountServer()
    .on('GET /app/api/session', signedOut)
    .on('GET /app/api/sign-in', {
      data: { password_mails: false, provider: 'Example ID', provider_only: false },
    });

afterEach(() => sessionStorage.clear());

describe('signing in at a provider', () => {
  it('leads to the provider, and remembers the page that was asked for', async () => {
    const url = 'https://id.example.com/authorize?state=s';
    const assign = vi.spyOn(location, 'assign').mockImplementation(() => undefined);
    const server = visitor().on('POST /app/api/session/provider', { data: { url } });
    const { user } = await renderApp(server, '/deals');
    await text('or with your password');
    await user.click(await button('Continue with Example ID'));
    await vi.waitFor(() => expect(assign).toHaveBeenCalledWith(url));
    expect(takeNext()).toBe('/deals');
  });

  it('goes on from the provider to the page that was asked for', async () => {
    keepGuide(session, { seen: true });
    keepNext('/deals');
    const back = visitor().on('POST /app/api/session/provider/finish', { data: session });
    const { router } = await renderApp(back, '/sign-in/provider?code=00123456789012345678&state=s');
    await text('Forty chairs');
    expect(router.state.location.pathname).toBe('/deals');
    // A code of digits is no number.
    expect(back.last('POST /app/api/session/provider/finish')?.body).toEqual({
      code: '00123456789012345678',
      state: 's',
    });
  });

  it('says so when the person declined, and when the provider did not confirm', async () => {
    await renderApp(visitor(), '/sign-in/provider?error=access_denied&state=s');
    await text('You were not signed in');
    await text('Back to sign-in');
    expect(location.search).toBe('');
  });

  it('shows what the server says of a sign-in that failed', async () => {
    const server = visitor().on(
      'POST /app/api/session/provider/finish',
      () => new Refusal(403, { code: 'forbidden', reason: 'no_role', message: 'No role.' }),
    );
    await renderApp(server, '/sign-in/provider?code=c&state=s');
    await text('None of your groups at the provider gives you a role here.');
    expect(server.count('POST /app/api/session/provider/finish')).toBe(1);
  });

  it('leads to the sign-in page when there is nothing to finish', async () => {
    const { router } = await renderApp(visitor(), '/sign-in/provider');
    await button('Continue with Example ID');
    expect(router.state.location.pathname).toBe('/sign-in');
  });

  it('shows no form where the provider is the only way in', async () => {
    const server = accountServer()
      .on('GET /app/api/session', signedOut)
      .on('GET /app/api/sign-in', {
        data: { password_mails: true, provider: 'Example ID', provider_only: true },
      });
    await renderApp(server, '/sign-in');
    await button('Continue with Example ID');
    await noText('Forgot your password?');
  });
});
