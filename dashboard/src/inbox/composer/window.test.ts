import { describe, expect, it } from 'vitest';
import { CLOSING_MS, countdown, windowState } from './window';

const NOW = Date.parse('2026-01-31T09:00:00.000Z');
const at = (window_expires_at: string | null, channel: 'whatsapp' | 'web_chat' = 'whatsapp') =>
  windowState({ channel, window_expires_at }, NOW);

describe('windowState', () => {
  it('is open until the very moment it ends', () => {
    expect(at('2026-01-31T09:00:00.001Z')).toMatchObject({ kind: 'open', remainingMs: 1, closing: true });
    expect(at('2026-01-31T09:00:00.000Z')).toEqual({ kind: 'closed' });
  });
  it('warns in the last hour', () => {
    expect(at('2026-01-31T10:00:00.000Z')).toMatchObject({ remainingMs: CLOSING_MS, closing: true });
    expect(at('2026-01-31T10:00:00.001Z')).toMatchObject({ closing: false });
  });
  it('is closed for a customer who has never written', () => {
    expect(at(null)).toEqual({ kind: 'closed' });
  });
  it('does not exist on channels without one', () => {
    expect(at(null, 'web_chat')).toEqual({ kind: 'none' });
  });
});

describe('countdown', () => {
  it('splits the time that is left and rounds up', () => {
    expect(countdown(86_399_000)).toEqual({ hours: 23, minutes: 59, seconds: 59 });
    expect(countdown(1)).toEqual({ hours: 0, minutes: 0, seconds: 1 });
    expect(countdown(3_600_000)).toEqual({ hours: 1, minutes: 0, seconds: 0 });
  });
});
