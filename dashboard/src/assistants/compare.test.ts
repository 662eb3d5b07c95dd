import { beforeAll, describe, expect, it } from 'vitest';
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
});
