import { describe, expect, it } from 'vitest';
import type { Run } from '@/api/schema';
import { run as example } from '@/testing/data';
import { durationMs, filterOf, mergeRuns, parseRunSearch, type RunPages, replaceHead } from './list';

const run = (id: string, more: Partial<Run> = {}): Run => ({ ...example, id, ...more });
const pages = (more: boolean, ...loaded: Run[][]): RunPages => ({
  pages: loaded.map((data, at) => ({
    data,
    meta: { next_cursor: null, has_more: more || at < loaded.length - 1, limit: 2 },
  })),
  pageParams: loaded.map(() => undefined),
});
const shape = ({ pages: all }: RunPages) =>
  all.map(({ data }) => data.map(({ id, status }) => `${id} ${status}`));

describe('mergeRuns', () => {
  it('puts a new run first and replaces a known one', () => {
    const list = pages(false, [run('3', { status: 'running' }), run('2')], [run('1')]);
    expect(shape(mergeRuns(list, [run('4', { status: 'queued' }), run('3')], {}))).toEqual([
      ['4 queued', '3 succeeded', '2 succeeded'],
      ['1 succeeded'],
    ]);
  });

  it('takes a run out that no longer fits, and lets one in that begins to', () => {
    const waiting = pages(false, [run('3', { status: 'waiting' }), run('1', { status: 'waiting' })]);
    const now = [run('3'), run('2', { status: 'waiting' })];
    expect(shape(mergeRuns(waiting, now, { status: 'waiting' }))).toEqual([['2 waiting', '1 waiting']]);
  });

  it('leaves a run out whose place is not loaded yet', () => {
    const list = pages(true, [run('9'), run('8')]);
    expect(shape(mergeRuns(list, [run('5')], {}))).toEqual([['9 succeeded', '8 succeeded']]);
    expect(shape(mergeRuns(pages(false, [run('9')]), [run('5')], {}))).toEqual([
      ['9 succeeded', '5 succeeded'],
    ]);
    expect(shape(mergeRuns(pages(false, []), [run('5')], {}))).toEqual([['5 succeeded']]);
  });

  it('does not let an old report replace a newer one', () => {
    const late = run('1', { status: 'running' });
    expect(shape(mergeRuns(pages(false, [run('1')]), [late], {}))).toEqual([['1 succeeded']]);
    const older = run('1', { status: 'queued', updated_at: '2026-01-31T09:00:00.000Z' });
    const known = run('1', { status: 'waiting', updated_at: '2026-01-31T09:10:00.000Z' });
    expect(shape(mergeRuns(pages(false, [known]), [older], {}))).toEqual([['1 waiting']]);
  });

  it('does not touch pages without a change', () => {
    const list = pages(false, [run('3')], [run('1')]);
    expect(mergeRuns(list, [run('3', { status: 'failed' })], {}).pages[1]).toBe(list.pages[1]);
  });

  it('merges a batch into a list of 100,000 runs within a frame', () => {
    const id = (index: number) => String(900_000 - index);
    const list = pages(
      true,
      ...Array.from({ length: 1_000 }, (_, page) =>
        Array.from({ length: 100 }, (_, row) => run(id(page * 100 + row))),
      ),
    );
    const batch = Array.from({ length: 50 }, (_, index) =>
      run(String(900_001 + index), { status: 'running' }),
    );
    // The best of three: a machine that is busy with something else lengthens them too.
    const took = [1, 2, 3].map(() => {
      const before = performance.now();
      mergeRuns(list, batch, {});
      return performance.now() - before;
    });
    expect(Math.min(...took)).toBeLessThan(100);
  });
});

describe('replaceHead', () => {
  const head = (more: boolean, ...data: Run[]) => ({
    data,
    meta: { next_cursor: null, has_more: more, limit: 2 },
  });
  const waiting = (id: string) => run(id, { status: 'waiting' });
  const filter = { status: 'waiting' } as const;

  it('drops what no longer fits within the range of the page', () => {
    const list = pages(true, [waiting('9'), waiting('8')], [waiting('7'), waiting('3')]);
    expect(shape(replaceHead(list, head(true, waiting('9'), waiting('7')), filter))).toEqual([
      ['9 waiting'],
      ['7 waiting', '3 waiting'],
    ]);
  });

  it('keeps runs that began after the page was read', () => {
    const list = pages(false, [waiting('9'), waiting('8')]);
    expect(shape(replaceHead(list, head(false, waiting('8')), filter))).toEqual([['9 waiting', '8 waiting']]);
  });

  it('empties a list of which nothing is left', () => {
    expect(shape(replaceHead(pages(false, [waiting('9')]), head(false), filter))).toEqual([[]]);
  });
});

it('reads the filter from the address', () => {
  const search = parseRunSearch({ status: 'failed', assistant: 'a1', trigger: 7, other: 'x' });
  expect(filterOf(search)).toEqual({ status: 'failed', assistant_id: 'a1' });
  expect(filterOf(parseRunSearch({ status: 'odd' }))).toEqual({});
});

it('measures a run from its start, to its end or to now', () => {
  const started = { started_at: '2026-01-31T09:30:00.000Z', finished_at: null };
  const now = Date.parse('2026-01-31T09:30:05.000Z');
  expect(durationMs(started, now)).toBe(5_000);
  expect(durationMs({ ...started, finished_at: '2026-01-31T09:30:02.000Z' }, now)).toBe(2_000);
  expect(durationMs({ started_at: null, finished_at: null }, now)).toBeNull();
});
