import { useSyncExternalStore } from 'react';
import type { StreamState } from './stream';

let state: StreamState = 'connecting';
const listeners = new Set<() => void>();

export function setStreamState(next: StreamState): void {
  state = next;
  for (const listener of listeners) listener();
}

export function useStreamState(): StreamState {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
}
