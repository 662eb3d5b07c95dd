/** Renders the whole app at a path against a fake server. Tests act and look as a person does, with Testing Library. */
import { DirectionProvider } from '@base-ui/react/direction-provider';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { cleanup, configure, render, screen, waitFor } from '@testing-library/react';
import { type UserEvent, userEvent } from '@testing-library/user-event';
import { afterAll, afterEach, expect, vi } from 'vitest';
import { onSessionEnded } from '@/api/client';
import { loadLanguage } from '@/i18n';
import { createAppRouter } from '@/router';
import type { FakeServer } from './server';

const WAIT_MS_MAX = 8_000;
const LOADED_MS_MAX = 60_000;
const VIEW_PX = { width: 1_400, height: 800 };

// Testing Library would print the whole page at every look.
const describePage = (message: string | null) =>
  new Error(`${message} The page says: ${document.body.textContent?.slice(0, 1_500)}`);
configure({ asyncUtilTimeout: WAIT_MS_MAX, getElementError: describePage });

/** happy-dom has no layout; virtual lists need one. */
function layOut(): void {
  for (const name of ['offsetWidth', 'clientWidth'] as const)
    vi.spyOn(HTMLElement.prototype, name, 'get').mockReturnValue(VIEW_PX.width);
  for (const name of ['offsetHeight', 'clientHeight'] as const)
    vi.spyOn(HTMLElement.prototype, name, 'get').mockReturnValue(VIEW_PX.height);
}

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

// A page that is still loading when the last test ends would fail for want of a document.
afterAll(() => vi.dynamicImportSettled(), LOADED_MS_MAX);

export async function renderApp(server: FakeServer, path: string) {
  vi.stubGlobal('fetch', server.fetch);
  window.fetch = server.fetch;
  layOut();
  // The board's scrollers warn that they do not scroll, because nothing has a style here.
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  history.replaceState(null, '', `/app${path}`);
  await loadLanguage();
  const client = new QueryClient({
    defaultOptions: { queries: { retry: false, staleTime: 60_000 }, mutations: { networkMode: 'always' } },
  });
  const router = createAppRouter(client);
  onSessionEnded(() => void router.navigate({ to: '/sign-in', search: { ended: true } }));
  render(
    <DirectionProvider direction="ltr">
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </DirectionProvider>,
  );
  return { router, client, user: userEvent.setup({ delay: null }) };
}

export const button = (name: string | RegExp) => screen.findByRole('button', { name });

/** Types into a field that may have a value already. */
export async function fill(user: UserEvent, label: string, value: string): Promise<void> {
  const field = await screen.findByLabelText(label);
  await user.clear(field);
  await user.type(field, value);
}

/** Chooses an option of a select field, as one does with the mouse. */
export async function choose(user: UserEvent, label: string, option: string): Promise<void> {
  await user.click(await screen.findByRole('combobox', { name: label }));
  await user.click(await screen.findByRole('option', { name: option }));
}

const shown = (words: string) => screen.queryAllByText(words, { exact: false, ignore: 'script, style' });

/** Waits for words, alone or among others. */
export const text = (words: string) => waitFor(() => expect(shown(words)).not.toEqual([]));
export const noText = (words: string) => waitFor(() => expect(shown(words)).toEqual([]));
