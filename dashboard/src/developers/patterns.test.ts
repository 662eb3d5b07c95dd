import { describe, expect, it } from 'vitest';
import { chosenOf, groupTypes, hasType, toggleGroup, toggleType } from './patterns';

const info = (event_type: string) => ({ event_type, description: '', example: {} });
const GROUPS = groupTypes(
  ['contact.created', 'contact.deleted', 'contact.updated', 'deal.closed', 'webhook.test'].map(info),
);
const contact = GROUPS[0] as (typeof GROUPS)[0];
const list = (chosen: ReadonlySet<string>) => [...chosen].sort();

describe('groups of event types', () => {
  it('are named by the first word, without the test event', () => {
    expect(GROUPS.map(({ pattern }) => pattern)).toEqual(['contact.*', 'deal.*']);
  });
  it('a whole group is one pattern', () => {
    const chosen = toggleGroup(new Set(['contact.created', 'deal.closed']), contact);
    expect(list(chosen)).toEqual(['contact.*', 'deal.closed']);
    expect(hasType(chosen, contact, 'contact.deleted')).toBe(true);
    expect(list(toggleGroup(chosen, contact))).toEqual(['deal.closed']);
  });
  it('taking one type out of a group leaves the others', () => {
    const chosen = toggleType(new Set(['contact.*']), contact, 'contact.deleted');
    expect(list(chosen)).toEqual(['contact.created', 'contact.updated']);
  });
  it('the last type of a group makes it whole', () => {
    const chosen = toggleType(
      new Set(['contact.created', 'contact.updated', 'deal.closed']),
      contact,
      'contact.deleted',
    );
    expect(list(chosen)).toEqual(['contact.*', 'deal.closed']);
  });
});

describe('the list of an endpoint', () => {
  it('means all events when it is empty or has a star', () => {
    expect(chosenOf([]).all).toBe(true);
    expect(chosenOf(['contact.*', '*']).all).toBe(true);
    expect(chosenOf(['contact.*'])).toEqual({ all: false, chosen: new Set(['contact.*']) });
  });
});
