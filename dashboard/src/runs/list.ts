/** The rules of the list of runs: newest first, of any length. */
import type { InfiniteData } from '@tanstack/react-query';
import type { Run, RunStatus } from '@/api/schema';
import type { Page } from '@/api/shapes';

export const RUN_STATUSES: readonly RunStatus[] = [
  'queued',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'cancelled',
];
export type RunPages = InfiniteData<Page<Run>>;

export interface RunSearch {
  status?: RunStatus | undefined;
  assistant?: string | undefined;
  trigger?: string | undefined;
  contact?: string | undefined;
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

export function parseRunSearch(search: Record<string, unknown>): RunSearch {
  return {
    status: RUN_STATUSES.find((status) => status === search.status),
    assistant: text(search.assistant),
    trigger: text(search.trigger),
    contact: text(search.contact),
  };
}

/** The list's filter as the API names it. */
export interface RunFilter {
  status?: RunStatus;
  assistant_id?: string;
  trigger_id?: string;
  contact_id?: string;
}

export function filterOf({ status, assistant, trigger, contact }: RunSearch): RunFilter {
  return {
    ...(status && { status }),
    ...(assistant && { assistant_id: assistant }),
    ...(trigger && { trigger_id: trigger }),
    ...(contact && { contact_id: contact }),
  };
}

export function isActive(run: Pick<Run, 'status'>): boolean {
  return run.status === 'queued' || run.status === 'running' || run.status === 'waiting';
}

export function fits(run: Run, filter: RunFilter): boolean {
  return Object.entries(filter).every(([field, value]) => run[field as keyof Run] === value);
}

/** Reports may overtake each other: a run that has ended does not go on, and an older state does not replace a newer. */
function newer(known: Run, read: Run): Run {
  if (!isActive(known) && isActive(read)) return known;
  return read.updated_at >= known.updated_at ? read : known;
}

/**
 * Brings runs into a loaded list. Ids grow with time, so a new run comes before all that are older. A run that no longer fits
 * the filter goes; one that begins to fit appears if its place is loaded.
 */
export function mergeRuns(pages: RunPages, runs: readonly Run[], filter: RunFilter): RunPages {
  const fresh = new Map(runs.map((run) => [run.id, run]));
  const merged = pages.pages.map((page) => {
    if (!page.data.some((run) => fresh.has(run.id))) return page;
    const data = page.data.flatMap((run) => {
      const read = fresh.get(run.id);
      if (!read) return [run];
      fresh.delete(run.id);
      const now = newer(run, read);
      return fits(now, filter) ? [now] : [];
    });
    return { ...page, data };
  });
  for (const run of [...fresh.values()].filter((each) => fits(each, filter))) insert(merged, run);
  return { ...pages, pages: merged };
}

/** Puts a run where the order of ids has its place, unless that is beyond what is loaded. */
function insert(pages: Page<Run>[], run: Run): void {
  for (const [at, page] of pages.entries()) {
    const before = page.data.findIndex((other) => other.id < run.id);
    const isLast = at === pages.length - 1;
    if (before < 0 && !(isLast && !page.meta.has_more)) continue;
    const index = before < 0 ? page.data.length : before;
    pages[at] = { ...page, data: page.data.toSpliced(index, 0, run) };
    return;
  }
}

/** How long a run has been at work, in milliseconds; null before it began. */
export function durationMs(run: Pick<Run, 'started_at' | 'finished_at'>, now: number): number | null {
  if (!run.started_at) return null;
  const end = run.finished_at ? Date.parse(run.finished_at) : now;
  return Math.max(0, end - Date.parse(run.started_at));
}

export function runsOf(pages: RunPages | undefined): Run[] {
  return pages?.pages.flatMap((page) => page.data) ?? [];
}

/**
 * The newest page, read again. No event says that a run waits or goes on, so within the page's range whatever it does not have
 * no longer fits. Runs that began since stay.
 */
export function replaceHead(pages: RunPages, head: Page<Run>, filter: RunFilter): RunPages {
  const newest = head.data[0]?.id;
  const oldest = head.meta.has_more ? (head.data.at(-1)?.id ?? '') : '';
  const ids = new Set(head.data.map((run) => run.id));
  const isGone = ({ id }: Run) => !ids.has(id) && id >= oldest && !(newest !== undefined && id > newest);
  const left = pages.pages.map((page) =>
    page.data.some(isGone) ? { ...page, data: page.data.filter((run) => !isGone(run)) } : page,
  );
  return mergeRuns({ ...pages, pages: left }, head.data, filter);
}
