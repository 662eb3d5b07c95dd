import { describe, expect, it } from 'vitest';
import type { CannedReply } from '@/api/schema';
import { type CannedContext, fillIn, findCanned, leftOver, shortcutQuery } from './canned';

const context: CannedContext = {
  contact: {
    name: 'Ann Lee',
    phone: null,
    email: 'ann@example.com',
    company: null,
    custom_fields: [{ field_id: 'f', name: 'Plan', value: 'gold' }],
  },
  member: { name: 'Bo', email: 'bo@example.com' },
  account: { name: 'Acme' },
};
const reply = (shortcut: string, body = ''): CannedReply => ({
  id: shortcut,
  shortcut,
  body,
  media: [],
  created_at: '',
  updated_at: '',
});

describe('canned replies', () => {
  it('fills in the contact, the member and custom fields', () => {
    expect(
      fillIn('Hi {{contact.first_name}} on {{ contact.Plan }}, {{agent.name}} of {{account.name}}', context),
    ).toBe('Hi Ann on gold, Bo of Acme');
  });
  it('leaves what is unknown or empty in the text, and names it', () => {
    const text = fillIn('{{contact.phone}} {{contact.Shoe size}} {{order.id}}', context);
    expect(leftOver(text)).toEqual(['{{contact.phone}}', '{{contact.Shoe size}}', '{{order.id}}']);
  });
  it('opens only for a slash at the very beginning', () => {
    expect(shortcutQuery('/hel')).toBe('hel');
    expect(shortcutQuery('/')).toBe('');
    expect(shortcutQuery('and/or')).toBeNull();
    expect(shortcutQuery('/hello there')).toBeNull();
  });
  it('ranks beginnings of the shortcut before other matches', () => {
    const found = findCanned([reply('thanks', 'hello'), reply('hello'), reply('Help'), reply('bye')], 'hel');
    expect(found.map((each) => each.shortcut)).toEqual(['hello', 'Help', 'thanks']);
  });
});
