/**
 * Everything that can be done now, by name. Components register their commands while they are on
 * screen; the palette lists them, the shortcut page shows their keys, and key presses run them.
 */
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { hasModifier, isTyping, KeySequence } from './keys';

export interface Command {
  id: string;
  group: string;
  label: string;
  shortcut?: string;
  /** A key that is held down runs it once: what it does cannot be undone. */
  once?: boolean;
  run: () => void;
}

const registered = new Map<symbol, readonly Command[]>();
const listeners = new Set<() => void>();
let snapshot: readonly Command[] = [];

function publish(): void {
  snapshot = [...registered.values()].flat();
  for (const listener of listeners) listener();
}

/** Registers commands while the component is mounted. A list that changes is published anew. */
export function useCommands(commands: readonly Command[]): void {
  const latest = useRef(commands);
  latest.current = commands;
  const shape = commands
    .map((command) => `${command.id}\0${command.label}\0${command.shortcut ?? ''}`)
    .join('\n');
  useEffect(() => {
    const key = Symbol(shape);
    const stable = latest.current.map((command) => ({
      ...command,
      run: () => latest.current.find((current) => current.id === command.id)?.run(),
    }));
    registered.set(key, stable);
    publish();
    return () => {
      registered.delete(key);
      publish();
    };
  }, [shape]);
}

export function useAllCommands(): readonly Command[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => snapshot,
  );
}

const POPUPS =
  '[role="dialog"], [role="alertdialog"], [role="menu"], [role="combobox"][aria-expanded="true"]';

/** An open dialog, menu or select takes the keys for itself. */
function popupOpen(): boolean {
  return document.querySelector(POPUPS) !== null;
}

/** Runs commands by their keys. Mounted once. */
export function useShortcuts(): void {
  useEffect(() => {
    const sequence = new KeySequence();
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.key === 'Shift') return;
      const blocked = isTyping(event.target) || popupOpen();
      const usable = snapshot.filter(
        (command) => command.shortcut && (!blocked || hasModifier(command.shortcut)),
      );
      const shortcuts = usable.map((command) => command.shortcut ?? '');
      const found = sequence.press(event, shortcuts, event.timeStamp);
      if (!found) return;
      event.preventDefault();
      const command = usable.findLast(({ shortcut }) => shortcut === found);
      if (!(event.repeat && command?.once)) command?.run();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}
