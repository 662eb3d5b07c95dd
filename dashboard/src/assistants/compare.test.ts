import { beforeAll, describe, expect, it } from 'vitest';
import type { Delegation, Schedule } from '@/api/schema';
import { loadLanguage, loadTexts } from '@/i18n';
import { assistantVersion } from '@/testing/assistants';
import { assistant, assistantTools as tools } from '@/testing/data';
import { diffLines, draftOfVersion, fieldText } from './compare';
import { changedFields, draftOf } from './draft';

beforeAll(async () => {
  await loadLanguage();
  await loadTexts('assistants', 'tools');
});

const shown = (before: string, after: string) =>
  diffLines(before, after).map(({ kind, text }) => `${{ same: ' ', removed: '-', added: '+' }[kind]}${text}`);
const names = { member: (id: string) => id, instruction: (id: string) => id };

describe('lines', () => {
  it('that stay are not repeated, wherever the others are', () => {
    expect(shown('a\nb\nc', 'a\nx\nc\nd')).toEqual([' a', '-b', '+x', ' c', '+d']);
    expect(shown('', 'a')).toEqual(['-', '+a']);
    expect(shown('a', 'a')).toEqual([' a']);
  });

  it('of a very long text are compared in no time', () => {
    const long = (word: string) => Array.from({ length: 5_000 }, (_, at) => `${word}${at}`).join('\n');
    const begun = performance.now();
    expect(diffLines(long('a'), long('b'))).toHaveLength(10_000);
    expect(performance.now() - begun).toBeLessThan(500);
  });
});

describe('a version', () => {
  it('differs from the assistant in the fields that were changed since', () => {
    const now = draftOf({ ...assistant, system_prompt: 'Be brief.' }, tools, []);
    const then = draftOfVersion(assistantVersion, tools);
    expect(changedFields(then, now)).toEqual(['system_prompt', 'tools']);
    expect(fieldText('tools', then, names)).toContain('Add a tag: Off');
    expect(fieldText('model', then, names)).toBe('–');
  });

  it('says its hours and its limits for sub-runs in words', () => {
    const then = draftOfVersion(assistantVersion, tools);
    const schedule = (schedule: Schedule) => fieldText('schedule', { ...then, schedule }, names);
    expect(schedule({ mode: 'always', hours: null })).toBe('At any time');
    const mon = [
      ['09:00', '12:00'],
      ['13:00', '17:00'],
    ];
    const lines = schedule({ mode: 'custom_hours', hours: { mon, sat: [['10:00', '14:00']] } }).split('\n');
    expect(lines.slice(0, 3)).toEqual([
      'At these hours',
      'Monday: 09:00–12:00, 13:00–17:00',
      'Tuesday: Does not answer',
    ]);
    expect(lines.slice(6)).toEqual(['Saturday: 10:00–14:00', 'Sunday: Does not answer']);

    const delegation = (more: Partial<Delegation>) => {
      const limits = { enabled: true, max_children_per_run: 3, max_cost_usd: null, allowed_tools: null };
      return fieldText('delegation', { ...then, delegation: { ...limits, ...more } }, names).split('\n');
    };
    expect(delegation({})).toEqual([
      'May give parts of its work to sub-runs: On',
      'Sub-runs of one run, at most: 3',
      'Cost of a run with its sub-runs, at most, in US dollars: –',
      'Tools of sub-runs: Any that the assistant has',
    ]);
    expect(delegation({ max_cost_usd: 0.5, allowed_tools: ['add_tag', 'add_note'] }).slice(2)).toEqual([
      'Cost of a run with its sub-runs, at most, in US dollars: $0.50',
      'Tools of sub-runs: Add a tag, Write a note',
    ]);
    expect(delegation({ allowed_tools: [] }).at(-1)).toBe('Tools of sub-runs: –');
  });
});
