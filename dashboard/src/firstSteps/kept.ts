/** Where a member is in the guide: kept in this browser, by account and member. */
import { useSyncExternalStore } from 'react';
import type { Session } from '@/api/app';
import { useSession } from '@/session/session';
import { STEPS, type Step } from './steps';

export interface KeptGuide {
  /** The guide was shown once, so it is not opened by itself again. */
  seen: boolean;
  /** It was put away, so the menu does not show it. */
  away: boolean;
  skipped: Step[];
}

const PREFIX = 'frontdesk.first-steps';
const UNSEEN: KeptGuide = { seen: false, away: false, skipped: [] };
const listeners = new Set<() => void>();

const keyOf = ({ account, user }: Session) => `${PREFIX}.${account.id}.${user.id}`;

function parse(text: string | null): KeptGuide {
  try {
    const kept = { ...UNSEEN, ...(JSON.parse(text ?? '{}') as Partial<KeptGuide>) };
    const skipped = Array.isArray(kept.skipped) ? STEPS.filter((step) => kept.skipped.includes(step)) : [];
    return { seen: kept.seen === true, away: kept.away === true, skipped };
  } catch {
    return UNSEEN;
  }
}

export function readGuide(session: Session): KeptGuide {
  return parse(localStorage.getItem(keyOf(session)));
}

export function keepGuide(session: Session, change: Partial<KeptGuide>): void {
  try {
    localStorage.setItem(keyOf(session), JSON.stringify({ ...readGuide(session), ...change }));
  } catch {
    // The browser has no room left. The guide is shown again.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', listener);
  };
}

/** Where the member is in the guide, also after a change in another tab. */
export function useGuide(): KeptGuide {
  const session = useSession();
  return parse(useSyncExternalStore(subscribe, () => localStorage.getItem(keyOf(session))));
}
