import { describe, expect, it } from 'vitest';
import { findMembers, insertMention, mentionedIds, mentionParts, mentionQuery } from './mentions';

const members = [
  { id: 'a', name: 'Ann' },
  { id: 'al', name: 'Ann Lee' },
  { id: 'b', name: 'Bo Agent' },
];

describe('mentions', () => {
  it('begin with an @ after a space or at the start, not within an address', () => {
    expect(mentionQuery('@')).toBe('');
    expect(mentionQuery('please @an')).toBe('an');
    expect(mentionQuery('ann@exa')).toBeNull();
    expect(mentionQuery('@ann thanks')).toBeNull();
  });
  it('are found by any word of the name', () => {
    expect(findMembers(members, 'ag').map((member) => member.id)).toEqual(['b']);
    expect(findMembers(members, '').length).toBe(3);
  });
  it('take the place of what was typed', () => {
    expect(insertMention('please @an', { id: 'al', name: 'Ann Lee' })).toBe('please @Ann Lee ');
  });
  it('are read back, the longer name first, each member once', () => {
    expect(mentionParts('Hi @Ann Lee, ask @Bo Agent or @nobody', members)).toEqual([
      { at: 0, text: 'Hi ' },
      { at: 3, text: '@Ann Lee', userId: 'al' },
      { at: 11, text: ', ask ' },
      { at: 17, text: '@Bo Agent', userId: 'b' },
      { at: 26, text: ' or @nobody' },
    ]);
    expect(mentionedIds('@Ann and @Ann and @Bo Agent', members)).toEqual(['a', 'b']);
  });
});
