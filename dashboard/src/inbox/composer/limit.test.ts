import { describe, expect, it } from 'vitest';
import { charactersLeft } from './limit';

describe('charactersLeft', () => {
  it('says nothing while the limit is far', () => {
    expect(charactersLeft('', 'whatsapp')).toBeNull();
    expect(charactersLeft('x'.repeat(3_686), 'whatsapp')).toBeNull();
  });
  it('counts down, and below zero', () => {
    expect(charactersLeft('x'.repeat(3_687), 'whatsapp')).toBe(409);
    expect(charactersLeft('x'.repeat(4_096), 'web_chat')).toBe(0);
    expect(charactersLeft('x'.repeat(2_001), 'messenger')).toBe(-1);
  });
  it('counts an emoji as one character, and in bytes on Instagram', () => {
    expect(charactersLeft('😀'.repeat(4_096), 'whatsapp')).toBe(0);
    expect(charactersLeft('ü'.repeat(500), 'instagram')).toBe(0);
    expect(charactersLeft('ü'.repeat(501), 'instagram')).toBe(-2);
  });
});
