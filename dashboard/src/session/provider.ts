/** What the provider has added to the address of the page that it sends the browser back to. */
export interface ProviderReturn {
  code: string | null;
  state: string | null;
  error: string | null;
}

/** The page that was asked for, while the browser is at the provider. */
const NEXT = 'frontdesk.signIn.next';

export const RETURN_PATH = '/sign-in/provider';

let held: ProviderReturn | null = null;

/**
 * Takes what the provider has added out of the address bar and the history, so that a reload does not send a used code
 * again. It runs before the router, which would read a code of digits as a number.
 */
export function holdReturn(): void {
  if (!location.pathname.endsWith(RETURN_PATH)) return;
  const search = new URLSearchParams(location.search);
  const returned = { code: search.get('code'), state: search.get('state'), error: search.get('error') };
  if (!returned.code && !returned.error) return;
  held = returned;
  history.replaceState(history.state, '', location.pathname);
}

export function takeReturn(): ProviderReturn | null {
  const returned = held;
  held = null;
  return returned;
}

export function keepNext(next: string | undefined) {
  if (next) sessionStorage.setItem(NEXT, next);
  else sessionStorage.removeItem(NEXT);
}

export function takeNext(): string | null {
  const next = sessionStorage.getItem(NEXT);
  sessionStorage.removeItem(NEXT);
  return next;
}
