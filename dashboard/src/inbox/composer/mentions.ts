/** Members named in a private note by `@Name`. Pure. */
import type { Member } from '@/api/schema';

type Named = Pick<Member, 'id' | 'name'>;

/** The part of a name after the `@` that ends the text, while the member chooses. */
export function mentionQuery(text: string): string | null {
  return /(?:^|\s)@([^\s@]*)$/.exec(text)?.[1] ?? null;
}

export function findMembers<M extends Named>(members: readonly M[], query: string): M[] {
  const wanted = query.toLocaleLowerCase();
  return members.filter((member) =>
    member.name
      .toLocaleLowerCase()
      .split(/\s+/)
      .some((word) => word.startsWith(wanted)),
  );
}

export function insertMention(text: string, member: Named): string {
  return text.replace(/@[^\s@]*$/, `@${member.name} `);
}

export interface MentionPart {
  at: number;
  text: string;
  userId?: string;
}

/** Splits a note into words and mentions. Of two names that begin alike, the longer counts. */
export function mentionParts(text: string, members: readonly Named[]): MentionPart[] {
  const byLength = members.toSorted((a, b) => b.name.length - a.name.length);
  const parts: MentionPart[] = [];
  let end = 0;
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    if (at < end) continue;
    const named = byLength.find((member) => text.startsWith(member.name, at + 1));
    if (!named) continue;
    if (at > end) parts.push({ at: end, text: text.slice(end, at) });
    parts.push({ at, text: `@${named.name}`, userId: named.id });
    end = at + 1 + named.name.length;
  }
  if (end < text.length) parts.push({ at: end, text: text.slice(end) });
  return parts;
}

export function mentionedIds(text: string, members: readonly Named[]): string[] {
  return [...new Set(mentionParts(text, members).flatMap((part) => (part.userId ? [part.userId] : [])))];
}
