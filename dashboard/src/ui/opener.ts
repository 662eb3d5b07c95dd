/**
 * Gives the focus back to whatever opened a dialog, menu or popover. The opener may be gone by then, because a list
 * was drawn anew: its successor, which has the same name, takes its place, else the heading of the page.
 */
import { type RefObject, useRef } from 'react';

const CONTROLS = 'button, a[href], input, select, textarea, [tabindex]';

interface Opener {
  element: HTMLElement;
  tag: string;
  name: string;
}

function nameOf(element: Element): string {
  return element.getAttribute('aria-label') ?? element.textContent?.trim() ?? '';
}

function describe(element: HTMLElement): Opener {
  return { element, tag: element.tagName, name: nameOf(element) };
}

/** What has the focus. A menu goes away with its items, so the button that opened it counts. */
function focused(): HTMLElement | null {
  const active = document.activeElement;
  if (!(active instanceof HTMLElement) || active === document.body) return null;
  const menu = active.closest('[role="menu"]');
  if (!menu) return active;
  return document.querySelector<HTMLElement>(`[aria-controls="${CSS.escape(menu.id)}"]`) ?? active;
}

function isThere(element: HTMLElement): boolean {
  return element.isConnected && element.getClientRects().length > 0;
}

function successor({ element, tag, name }: Opener): HTMLElement | null {
  if (isThere(element)) return element;
  const alike = [...document.querySelectorAll<HTMLElement>(CONTROLS)].find(
    (other) => other.tagName === tag && isThere(other) && name !== '' && nameOf(other) === name,
  );
  if (alike) return alike;
  const heading = document.querySelector<HTMLElement>('main h1');
  if (heading) heading.tabIndex = -1;
  return heading;
}

interface ReturnFocus {
  /** The popup, to tell whether the focus is still in it. */
  popup: RefObject<HTMLDivElement | null>;
  /** For `finalFocus` of the popup. */
  finalFocus: () => HTMLElement | boolean;
}

/** Remembers who opened a popup: `trigger` if it has one, else what had the focus. */
export function useReturnFocus(open: boolean, trigger?: RefObject<HTMLElement | null>): ReturnFocus {
  const popup = useRef<HTMLDivElement>(null);
  const opener = useRef<Opener | null>(null);
  const wasOpen = useRef(false);
  // While rendering, because a field with autoFocus takes the focus before any effect runs.
  if (open && !wasOpen.current) {
    const element = trigger?.current ?? focused();
    opener.current = element && describe(element);
  }
  wasOpen.current = open;
  return {
    popup,
    finalFocus: () => {
      const active = document.activeElement;
      // Something else took the focus on purpose.
      if (active && active !== document.body && !popup.current?.contains(active)) return false;
      return (opener.current && successor(opener.current)) ?? true;
    },
  };
}
