/** The steps of the guide: whom they are for, and when they are done. Pure. */
export const STEPS = ['channel', 'invite', 'assistant', 'contacts'] as const;
export type Step = (typeof STEPS)[number];

/** What the account has. A fact that is not known yet is undefined. */
export type Facts = Partial<Record<Step, boolean | undefined>>;

/** What a step needs: only owners and admins connect channels and invite people. */
const NEEDS: Record<Step, { admin: boolean; scopes: readonly string[] }> = {
  channel: { admin: true, scopes: [] },
  invite: { admin: true, scopes: [] },
  assistant: { admin: false, scopes: ['runs:read'] },
  contacts: { admin: false, scopes: ['contacts:write'] },
};

export function stepsFor(isAdmin: boolean, can: (scope: string) => boolean): Step[] {
  return STEPS.filter((step) => (isAdmin || !NEEDS[step].admin) && NEEDS[step].scopes.every(can));
}

/** The steps that are left to do. */
export function openSteps(steps: readonly Step[], facts: Facts, skipped: readonly Step[]): Step[] {
  return steps.filter((step) => !facts[step] && !skipped.includes(step));
}
