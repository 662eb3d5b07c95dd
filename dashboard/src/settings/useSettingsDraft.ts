import { useState } from 'react';

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

export interface SettingsDraft<T> {
  draft: T;
  /** What differs from what is stored: all that is to be saved. */
  changes: Partial<T>;
  isChanged: boolean;
  /** A colleague has saved something else where something is being changed here. */
  isOutdated: boolean;
  set: (change: Partial<T>) => void;
  discard: () => void;
}

/** What is being changed of something stored. What is not being changed shows what a colleague saves. */
export function useSettingsDraft<T extends object>(stored: T): SettingsDraft<T> {
  const [edit, setEdit] = useState<{ changes: Partial<T>; base: T } | null>(null);
  const changes = edit?.changes ?? {};
  const changed = (Object.keys(changes) as Array<keyof T>).filter(
    (part) => !isSame((changes as Partial<T>)[part], stored[part]),
  );
  return {
    draft: { ...stored, ...changes },
    changes: pick({ ...stored, ...changes }, changed),
    isChanged: changed.length > 0,
    isOutdated: changed.some((part) => !isSame(edit?.base[part], stored[part])),
    set: (change) =>
      setEdit((now) => ({
        changes: { ...now?.changes, ...change },
        base: now ? { ...stored, ...pick(now.base, Object.keys(now.changes) as Array<keyof T>) } : stored,
      })),
    discard: () => setEdit(null),
  };
}

/** Only these parts. */
function pick<T extends object>(whole: T, parts: Array<keyof T>): Partial<T> {
  const picked: Partial<T> = {};
  for (const part of parts) picked[part] = whole[part];
  return picked;
}
