import { describe, expect, it } from 'vitest';
import { assistant } from '@/testing/data';
import { rivalsOf } from './rivals';

const one = (id: string, targets: string[], enabled = true) => ({ ...assistant, id, targets, enabled });
const named = (id: string, targets: string[], all: Array<ReturnType<typeof one>>) =>
  rivalsOf(id, targets, all).map((rival) => [rival.target, rival.assistant.id, rival.isSame]);

describe('the older assistants with the same channels', () => {
  it('are those that are on, the oldest for each channel', () => {
    const all = [one('b', ['web_chat']), one('a', ['web_chat', 'whatsapp']), one('0', ['web_chat'], false)];
    expect(named('c', ['web_chat', 'whatsapp', 'messenger'], all)).toEqual([
      ['web_chat', 'a', true],
      ['whatsapp', 'a', true],
    ]);
  });

  it('are neither younger ones nor the assistant itself', () => {
    expect(named('b', ['web_chat'], [one('b', ['web_chat']), one('c', ['web_chat'])])).toEqual([]);
  });

  it('have one number when they have all of them, but not the other way round', () => {
    expect(named('b', ['pwa:7'], [one('a', ['personal_whatsapp'])])).toEqual([['pwa:7', 'a', false]]);
    expect(named('b', ['pwa:7'], [one('a', ['pwa:8'])])).toEqual([]);
    expect(named('b', ['personal_whatsapp'], [one('a', ['pwa:7'])])).toEqual([]);
  });
});
