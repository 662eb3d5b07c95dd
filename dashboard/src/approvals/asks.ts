/** The rules of asks: what an assistant waits for a person to approve or to answer. */
import type { InfiniteData } from '@tanstack/react-query';
import type { Ask } from '@/api/schema';
import type { Page } from '@/api/shapes';

export const ASK_VIEWS = ['waiting', 'all'] as const;
export type AskView = (typeof ASK_VIEWS)[number];
export type AskPages = InfiniteData<Page<Ask>>;

export interface AskSearch {
  view?: AskView | undefined;
}

export function parseAskSearch(search: Record<string, unknown>): AskSearch {
  return { view: search.view === 'all' ? 'all' : undefined };
}

/** Tools whose approval needs a scope that not every role has. The server checks all of them. */
const APPROVAL_SCOPES: Readonly<Record<string, string>> = {
  start_broadcast: 'broadcasts:send',
  remember: 'assistants:write',
  forget: 'assistants:write',
  delegate: 'runs:start',
  schedule_follow_up: 'runs:start',
  start_run: 'runs:start',
  create_trigger: 'assistants:write',
};

/** Whether a role may approve an ask, by its scopes: who approves decides that it is carried out. */
export function mayApprove(ask: Pick<Ask, 'tool'>, can: (scope: string) => boolean): boolean {
  const scope = APPROVAL_SCOPES[ask.tool ?? ''];
  return can('asks:answer') && (scope === undefined || can(scope));
}

/** Whether a program asks, through its key, and no assistant. */
export function isOfProgram(ask: Pick<Ask, 'assistant_id'>): boolean {
  return ask.assistant_id === null;
}

export function isOpen(ask: Pick<Ask, 'status'>): boolean {
  return ask.status === 'pending';
}

export function asksOf(pages: AskPages | undefined): Ask[] {
  return pages?.pages.flatMap((page) => page.data) ?? [];
}

/** How many wait, as far as they are loaded. */
export function openCount(pages: AskPages | undefined): number {
  return asksOf(pages).filter(isOpen).length;
}

/**
 * Writes an ask into a list. One that was answered stays where it is, so that whoever looks at it sees by whom; a list of
 * those that wait does not begin to show it.
 */
export function upsertAsk(pages: AskPages, ask: Ask, view: AskView): AskPages {
  const known = asksOf(pages).find((other) => other.id === ask.id);
  if (known) {
    // Events may come late: an ask that is over does not wait again.
    if (!isOpen(known) && isOpen(ask)) return pages;
    const replaced = (page: Page<Ask>) => ({
      ...page,
      data: page.data.map((other) => (other.id === ask.id ? ask : other)),
    });
    return { ...pages, pages: pages.pages.map(replaced) };
  }
  const [first, ...rest] = pages.pages;
  if (!first || (view === 'waiting' && !isOpen(ask))) return pages;
  return { ...pages, pages: [{ ...first, data: [ask, ...first.data] }, ...rest] };
}

/** The ask before or after one, among those that wait; after the last comes the first that waits. */
export function neighbour(asks: readonly Ask[], id: string | undefined, step: 1 | -1): Ask | undefined {
  const at = asks.findIndex((ask) => ask.id === id);
  const ordered =
    step === 1
      ? [...asks.slice(at + 1), ...asks.slice(0, Math.max(at, 0))]
      : asks.slice(0, Math.max(at, 0)).toReversed();
  return ordered.find(isOpen);
}
