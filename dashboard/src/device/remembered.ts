/** Who has turned notifications on in this browser. */

const STORAGE_KEY = 'frontdesk.push';

/** The id of that member. */
export const pushMember = (): string | null => localStorage.getItem(STORAGE_KEY);

/** Whether this browser gets notifications, so that a page need not show its own. */
export const isPushOn = (): boolean => pushMember() !== null;

export function rememberPush(memberId: string | null): void {
  if (memberId === null) localStorage.removeItem(STORAGE_KEY);
  else localStorage.setItem(STORAGE_KEY, memberId);
}
