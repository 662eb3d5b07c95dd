import { expect, it } from 'vitest';
import { type Notice, readNotice, sentencesOf } from './notice';

const notice = (change: Partial<Notice>): Notice => ({
  kind: 'message',
  language: 'en',
  path: 'inbox/7',
  tag: '7',
  unread: 1,
  ...change,
});

it('names the customer, and has the words only if they came', () => {
  expect(sentencesOf(notice({ name: 'Ann' }))).toMatchObject({ title: 'New message from Ann', body: '' });
  expect(sentencesOf(notice({ name: 'Ann', text: 'Hello?' })).body).toBe('Hello?');
  expect(sentencesOf(notice({})).title).toBe('New message from a customer');
});

it('says in each language who did what', () => {
  const cases: Array<[Partial<Notice>, string, string]> = [
    [{ kind: 'mention', actor: 'Bea', name: 'Ann' }, 'Bea mentioned you', 'Bea hat Sie erwähnt'],
    [{ kind: 'assignment' }, 'A conversation was assigned to you', 'Ihnen wurde ein Gespräch zugewiesen'],
    [{ kind: 'handed_off' }, 'A conversation waits for a person', 'Ein Gespräch wartet auf einen Menschen'],
    [
      { kind: 'ask', ask: 'approval', name: 'Robin' },
      'Robin asks for an approval',
      'Robin bittet um eine Freigabe',
    ],
    [{ kind: 'ask', ask: 'question', name: 'Robin' }, 'Robin has a question', 'Robin hat eine Frage'],
    [{ kind: 'test' }, 'Notifications work', 'Benachrichtigungen funktionieren'],
  ];
  for (const [change, english, german] of cases) {
    expect(sentencesOf(notice(change)).title).toBe(english);
    expect(sentencesOf(notice({ ...change, language: 'de' })).title).toBe(german);
    // A language that this version lacks.
    expect(sentencesOf(notice({ ...change, language: 'xx' })).title).toBe(english);
  }
});

it('ignores what it does not know', () => {
  for (const wrong of [null, 'text', 7, {}, { kind: 'new', path: 'x' }, { kind: 'message' }]) {
    expect(readNotice(wrong)).toBeNull();
  }
  expect(readNotice({ kind: 'test', path: 'settings' })).toMatchObject({ language: 'en', unread: 0 });
});
