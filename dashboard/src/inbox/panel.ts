import { useSyncExternalStore } from 'react';

/** Whether the contact is shown beside the conversation: open at first where there is room for it. */
export const WIDE = '(min-width: 80rem)';

let open: boolean | undefined;
const listeners = new Set<() => void>();

export function setPanelOpen(next: boolean): void {
  open = next;
  for (const listener of listeners) listener();
}

export function isPanelOpen(): boolean {
  return open ?? window.matchMedia(WIDE).matches;
}

export function usePanelOpen(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, isPanelOpen);
}
