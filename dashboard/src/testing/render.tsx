/** Renders the whole app at a path against a fake server, and finds things as a person does: by their text and labels. */
import { DirectionProvider } from '@base-ui/react/direction-provider';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, vi } from 'vitest';
import { onSessionEnded } from '@/api/client';
import { loadLanguage } from '@/i18n';
import { createAppRouter } from '@/router';
import type { FakeServer } from './server';

const WAIT_MS_MAX = 8_000;
const VIEW_PX = { width: 1_400, height: 800 };

/** happy-dom has no layout; virtual lists need one. */
function layOut(): void {
  for (const name of ['offsetWidth', 'clientWidth'] as const)
    vi.spyOn(HTMLElement.prototype, name, 'get').mockReturnValue(VIEW_PX.width);
  for (const name of ['offsetHeight', 'clientHeight'] as const)
    vi.spyOn(HTMLElement.prototype, name, 'get').mockReturnValue(VIEW_PX.height);
}

let mounted: Root | undefined;

/** Lets React and the fake server go on. */
export async function settle(): Promise<void> {
  await new Promise((done) => setTimeout(done, 5));
}

afterEach(async () => {
  mounted?.unmount();
  mounted = undefined;
  await settle();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

export async function renderApp(server: FakeServer, path: string) {
  vi.stubGlobal('fetch', server.fetch);
  window.fetch = server.fetch;
  layOut();
  // The board's scrollers warn that they do not scroll, because nothing has a style here.
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  history.replaceState(null, '', `/app${path}`);
  await loadLanguage();
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 60_000 } } });
  const router = createAppRouter(client);
  onSessionEnded(() => void router.navigate({ to: '/sign-in', search: { ended: true } }));
  const container = document.createElement('div');
  document.body.replaceChildren(container);
  const root = createRoot(container);
  root.render(
    <DirectionProvider direction="ltr">
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </DirectionProvider>,
  );
  mounted = root;
  await settle();
  return { router, client };
}

/** Waits until a condition gives something. */
export async function waitFor<T>(find: () => T | null | undefined | false, what: string): Promise<T> {
  const end = Date.now() + WAIT_MS_MAX;
  while (Date.now() < end) {
    const found = find();
    if (found) return found;
    await settle();
  }
  throw new Error(`${what} did not appear. The page says: ${document.body.textContent?.slice(0, 1_500)}`);
}

export const text = (words: string) =>
  waitFor(() => document.body.textContent?.includes(words), `“${words}”`);
export const noText = (words: string) =>
  waitFor(() => !document.body.textContent?.includes(words), `a page without “${words}”`);

const hasValue = (value: string) =>
  [...document.querySelectorAll('input')].some((field) => field.value === value);
/** A value to be copied, in a field of its own. */
export const copyable = (value: string) => waitFor(() => hasValue(value), `a field with “${value}”`);
export const noCopyable = (value: string) =>
  waitFor(() => !hasValue(value), `a page without a field with “${value}”`);

function labelOf(element: Element): string {
  const label =
    element.getAttribute('aria-label') ??
    (element.id ? document.querySelector(`label[for="${element.id}"]`)?.textContent : null) ??
    element.closest('label')?.textContent;
  return (label ?? element.textContent ?? '').trim();
}

export const control = <E extends HTMLElement>(selector: string, label: string) =>
  waitFor(
    () => [...document.querySelectorAll<E>(selector)].find((element) => labelOf(element) === label),
    `${selector} “${label}”`,
  );

export async function click(
  label: string,
  selector = 'button, a, [role="menuitem"], [role="tab"]',
): Promise<void> {
  const element = await control(selector, label);
  element.click();
  await settle();
}

export async function type(label: string, value: string): Promise<void> {
  const field = await control<HTMLInputElement | HTMLTextAreaElement>('input, textarea', label);
  const prototype =
    field instanceof HTMLTextAreaElement ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(field, value);
  field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText' }));
  await settle();
}

export async function press(
  key: string,
  more: KeyboardEventInit = {},
  target: EventTarget = document.body,
): Promise<void> {
  target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }));
  await settle();
}
