/** Unsaved changes of assistants, in this browser, by account and member. */
import type { Draft } from './draft';

export interface KeptDraft {
  /** The stored version that the changes began with. */
  base: Draft;
  draft: Draft;
}

const PREFIX = 'frontdesk.assistant';
const keyOf = (owner: string, id: string) => `${PREFIX}.${owner}.${id}`;

export function readKept(owner: string, id: string): KeptDraft | null {
  try {
    const kept = JSON.parse(localStorage.getItem(keyOf(owner, id)) ?? 'null') as Partial<KeptDraft> | null;
    return kept?.base && kept.draft ? (kept as KeptDraft) : null;
  } catch {
    return null;
  }
}

export function keep(owner: string, id: string, kept: KeptDraft | null): void {
  try {
    if (kept) localStorage.setItem(keyOf(owner, id), JSON.stringify(kept));
    else localStorage.removeItem(keyOf(owner, id));
  } catch {
    // The browser has no room left. The changes stay on screen.
  }
}
