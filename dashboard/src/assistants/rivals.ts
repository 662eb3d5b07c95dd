/** Which older assistants have the channels of this one: of several, the oldest takes new conversations. Pure. */
import type { Assistant } from '@/api/schema';

/** A target that names one personal number. */
export const NUMBER_PREFIX = 'pwa:';
const ALL_NUMBERS = 'personal_whatsapp';

export interface Rival {
  /** Of this assistant. */
  target: string;
  assistant: Assistant;
  /** Whether the other one names the same target, and not all numbers of which this is one. */
  isSame: boolean;
}

/** Ids begin with the time at which they were made. */
const isOlder = (one: Assistant, id: string) => one.id < id;

export function rivalsOf(id: string, targets: readonly string[], all: readonly Assistant[]): Rival[] {
  const older = all
    .filter((one) => one.enabled && isOlder(one, id))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  return targets.flatMap((target) => {
    const takes = (one: Assistant) =>
      one.targets.includes(target) || (target.startsWith(NUMBER_PREFIX) && one.targets.includes(ALL_NUMBERS));
    const assistant = older.find(takes);
    return assistant ? [{ target, assistant, isSame: assistant.targets.includes(target) }] : [];
  });
}
