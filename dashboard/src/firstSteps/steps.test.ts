import { describe, expect, it } from 'vitest';
import { openSteps, STEPS, stepsFor } from './steps';

const all = () => true;

describe('the steps of a member', () => {
  it('are all of them for owners and admins', () => {
    expect(stepsFor(true, all)).toEqual(STEPS);
  });
  it('leave out for agents what only admins may do', () => {
    expect(stepsFor(false, all)).toEqual(['assistant', 'contacts']);
  });
  it('leave out what the role does not allow', () => {
    expect(stepsFor(false, (scope) => scope !== 'contacts:write')).toEqual(['assistant']);
  });
});

describe('what is left to do', () => {
  it('is neither what is done nor what was skipped', () => {
    expect(openSteps(STEPS, { channel: true, invite: false }, ['contacts'])).toEqual(['invite', 'assistant']);
  });
  it('is nothing once each is done or skipped', () => {
    const facts = { channel: true, invite: true, assistant: true };
    expect(openSteps(STEPS, facts, ['contacts'])).toEqual([]);
  });
});
