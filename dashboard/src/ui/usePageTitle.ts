import { useEffect, useSyncExternalStore } from 'react';

let current = '';
const listeners = new Set<() => void>();

/** Names the page in the browser's title. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    current = title;
    for (const listener of listeners) listener();
  }, [title]);
}

/** Keeps the title of the window: what is unread, the page, and the account. */
export function useWindowTitle(unread: number, accountName: string): void {
  const page = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
  useEffect(() => {
    const parts = [page, accountName, 'Frontdesk'].filter(Boolean).join(' · ');
    document.title = unread > 0 ? `(${unread}) ${parts}` : parts;
  }, [unread, page, accountName]);
}
