import { useSyncExternalStore } from 'react';

/**
 * Whether the contact is shown: beside the conversation where there is room for it, and there from the start; above it
 * on a narrow screen, and there only when the member asks. A window that becomes narrow opens nothing by itself.
 */
export const WIDE = '(min-width: 80rem)';

let besideOpen = true;
let aboveOpen = false;
const listeners = new Set<() => void>();

const isWide = () => window.matchMedia(WIDE).matches;
const publish = () => {
  for (const listener of listeners) listener();
};

export function setPanelOpen(next: boolean): void {
  if (isWide()) besideOpen = next;
  else aboveOpen = next;
  publish();
}

export function isPanelOpen(): boolean {
  return isWide() ? besideOpen : aboveOpen;
}

export function usePanelOpen(): boolean {
  return useSyncExternalStore((listener) => {
    const media = window.matchMedia(WIDE);
    const changed = () => {
      aboveOpen = false;
      publish();
    };
    listeners.add(listener);
    media.addEventListener('change', changed);
    return () => {
      listeners.delete(listener);
      media.removeEventListener('change', changed);
    };
  }, isPanelOpen);
}
