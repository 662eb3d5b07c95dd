import { expect, it } from 'vitest';
import { kindOf, outdated } from './shell';

const ORIGIN = 'https://desk.example.com';
const kind = (path: string, mode: RequestMode = 'cors', method = 'GET') =>
  kindOf({ method, mode }, new URL(path, ORIGIN), ORIGIN);

it('keeps files with a hash and shows the page for every path, and never touches the API', () => {
  expect(kind('/app/assets/index-abc.js')).toBe('asset');
  expect(kind('/app/', 'navigate')).toBe('page');
  expect(kind('/app/inbox/7?x=1', 'navigate')).toBe('page');
  expect(kind('/app/inbox/7')).toBe('other');
  expect(kind('/app/api/v1/contacts')).toBe('other');
  expect(kind('/app/api/v1/contacts/export', 'navigate')).toBe('other');
  expect(kind('/app/api', 'navigate')).toBe('other');
  expect(kind('/app/apiary', 'navigate')).toBe('page');
  expect(kind('/media/1')).toBe('other');
  expect(kind('/apple', 'navigate')).toBe('other');
  expect(kind('/app/inbox', 'navigate', 'POST')).toBe('other');
  expect(kind('https://elsewhere.example.com/app/', 'navigate')).toBe('other');
});

it('deletes old versions except the one before, and nothing of others', () => {
  const names = ['frontdesk-shell-1', 'theirs', 'frontdesk-shell-2', 'frontdesk-shell-3'];
  expect(outdated(names, 'frontdesk-shell-3')).toEqual(['frontdesk-shell-1']);
  expect(outdated(['frontdesk-shell-3'], 'frontdesk-shell-3')).toEqual([]);
  // The version is taken up again after a step back.
  expect(outdated(names, 'frontdesk-shell-1')).toEqual(['frontdesk-shell-2']);
});
