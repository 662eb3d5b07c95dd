import { afterEach, describe, expect, it } from 'vitest';
import { session } from '@/testing/data';
import { keepGuide, readGuide } from './kept';

afterEach(() => localStorage.clear());

describe('the guide', () => {
  it('is unseen at first, and remembers what was done with it', () => {
    expect(readGuide(session)).toEqual({ seen: false, away: false, skipped: [] });
    keepGuide(session, { seen: true });
    keepGuide(session, { skipped: ['invite'] });
    expect(readGuide(session)).toEqual({ seen: true, away: false, skipped: ['invite'] });
  });

  it('is another one for another member and another account', () => {
    keepGuide(session, { away: true });
    expect(readGuide({ ...session, user: { ...session.user, id: 'cy' } }).away).toBe(false);
    expect(readGuide({ ...session, account: { ...session.account, id: 'other' } }).away).toBe(false);
  });

  it('begins anew when what is kept cannot be read', () => {
    for (const broken of ['{', '[]', '{"skipped":"invite"}', '{"skipped":["nothing"]}', 'null']) {
      localStorage.setItem('frontdesk.first-steps.acme.bo', broken);
      expect(readGuide(session), broken).toEqual({ seen: false, away: false, skipped: [] });
    }
  });
});
