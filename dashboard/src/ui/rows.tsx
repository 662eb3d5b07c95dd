/**
 * Rows with one Tab stop each. The arrow keys lead to the other controls of a row and to the rows around it, and
 * screen readers find every control as before.
 */
import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef } from 'react';

const CONTROLS = 'a[href], button:not(:disabled), input:not(:disabled)';
const BESIDE = new Set(['ArrowLeft', 'ArrowRight']);
const ABOVE_OR_BELOW = new Set(['ArrowUp', 'ArrowDown']);

function controlsOf(element: Element): HTMLElement[] {
  return [...element.querySelectorAll<HTMLElement>(CONTROLS)];
}

/** Whether Tab leads to it. */
function isStop(control: HTMLElement): boolean {
  return control.tabIndex === 0;
}

function isForward(key: string): boolean {
  return key === (document.documentElement.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight') || key === 'ArrowDown';
}

function isPlain(event: KeyboardEvent): boolean {
  return !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.defaultPrevented;
}

/** For `onKeyDown` of an element with `data-row`, inside one with `data-rows`. */
export function onRowKeyDown(event: KeyboardEvent<HTMLElement>): void {
  const row = event.currentTarget;
  // Not from a menu of the row: it is elsewhere on the page.
  if (!isPlain(event) || !(event.target instanceof Element) || !row.contains(event.target)) return;
  const step = isForward(event.key) ? 1 : -1;
  let target: HTMLElement | undefined;
  if (BESIDE.has(event.key)) {
    const controls = controlsOf(row);
    target = controls[controls.indexOf(event.target as HTMLElement) + step];
  } else if (ABOVE_OR_BELOW.has(event.key)) {
    const rows = [...(row.closest('[data-rows]')?.querySelectorAll('[data-row]') ?? [])];
    const next = rows[rows.indexOf(row) + step];
    target = next && controlsOf(next).find(isStop);
  } else return;
  event.preventDefault();
  target?.focus();
}

/** The buttons of a row: one Tab stop, and the arrow keys lead from one to the next. */
export function RowActions({ label, children }: { label: string; children: ReactNode }) {
  const toolbar = useRef<HTMLDivElement>(null);
  const stopAt = (control: HTMLElement | undefined) => {
    for (const other of toolbar.current ? controlsOf(toolbar.current) : [])
      other.tabIndex = other === control ? 0 : -1;
  };
  // After every change: a button may have come or gone, or the stop may be disabled now.
  useLayoutEffect(() => {
    if (!toolbar.current) return;
    const [first] = controlsOf(toolbar.current);
    const active = document.activeElement;
    const lost = active instanceof HTMLButtonElement && active.disabled && toolbar.current.contains(active);
    stopAt(controlsOf(toolbar.current).find(isStop) ?? first);
    if (lost) first?.focus();
  });
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (!toolbar.current || !isPlain(event) || !BESIDE.has(event.key)) return;
    const controls = controlsOf(toolbar.current);
    const at = controls.indexOf(event.target as HTMLElement);
    if (at < 0) return;
    event.preventDefault();
    const target = controls.at((at + (isForward(event.key) ? 1 : -1)) % controls.length);
    stopAt(target);
    target?.focus();
  };
  return (
    <div
      ref={toolbar}
      role="toolbar"
      aria-label={label}
      onKeyDown={onKeyDown}
      className="flex flex-wrap items-center gap-1"
    >
      {children}
    </div>
  );
}
