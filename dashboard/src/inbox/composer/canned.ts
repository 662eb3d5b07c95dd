/** Canned replies: found by their shortcut, filled in with the contact and the member. Pure. */
import type { CannedReply, Contact } from '@/api/schema';

export interface CannedContext {
  contact: Pick<Contact, 'name' | 'phone' | 'email' | 'company' | 'custom_fields'> | undefined;
  member: { name: string; email: string };
  account: { name: string };
}

const PLACEHOLDER = /\{\{\s*([^{}]+?)\s*\}\}/g;

function lookUp(path: string, context: CannedContext): string | null | undefined {
  const { contact, member, account } = context;
  switch (path) {
    case 'contact.name':
      return contact?.name;
    case 'contact.first_name':
      return contact?.name?.trim().split(/\s+/)[0];
    case 'contact.phone':
      return contact?.phone;
    case 'contact.email':
      return contact?.email;
    case 'contact.company':
      return contact?.company;
    case 'agent.name':
      return member.name;
    case 'agent.email':
      return member.email;
    case 'account.name':
      return account.name;
    default:
      if (!path.startsWith('contact.')) return undefined;
      return contact?.custom_fields.find((field) => field.name === path.slice('contact.'.length))?.value;
  }
}

/** What cannot be filled in stays as it is, so that the member sees it before sending. */
export function fillIn(body: string, context: CannedContext): string {
  return body.replace(PLACEHOLDER, (whole, path: string) => lookUp(path, context) || whole);
}

/** Placeholders that are left in a text. The composer asks before it sends one. */
export function leftOver(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map((match) => match[0]);
}

/** The word after `/` at the very beginning of the text, while the member chooses a canned reply. */
export function shortcutQuery(text: string): string | null {
  return /^\/(\S*)$/.exec(text)?.[1] ?? null;
}

/** Replies whose shortcut begins with the query come first, then those that contain it. */
export function findCanned(replies: readonly CannedReply[], query: string): CannedReply[] {
  const wanted = query.toLocaleLowerCase();
  const rank = (reply: CannedReply) => {
    if (reply.shortcut.toLocaleLowerCase().startsWith(wanted)) return 0;
    return `${reply.shortcut} ${reply.body}`.toLocaleLowerCase().includes(wanted) ? 1 : 2;
  };
  return replies
    .map((reply) => ({ reply, rank: rank(reply) }))
    .filter((entry) => entry.rank < 2)
    .sort((a, b) => a.rank - b.rank || a.reply.shortcut.localeCompare(b.reply.shortcut))
    .map((entry) => entry.reply);
}
