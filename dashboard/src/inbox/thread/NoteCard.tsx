import { Lock } from 'lucide-react';
import type { ConversationNote } from '@/api/shapes';
import { t } from '@/i18n';
import { clockTime, fullTime } from '@/i18n/time';
import { useActiveMembers, useMemberName } from '@/session/members';
import { mentionParts } from '../composer/mentions';

/** A private note: across the whole thread, in its own colour and frame, and named as private. */
export function NoteCard({ note }: { note: ConversationNote }) {
  const author = useMemberName()(note.author_user_id);
  const members = useActiveMembers();
  return (
    <article
      aria-label={t('note.by', { author, time: fullTime(note.created_at) })}
      className="lazy-render my-1 rounded-lg border-2 border-dashed border-note-line bg-note px-3 py-2 text-note-ink"
    >
      <p className="flex items-center gap-1.5 text-xs font-semibold uppercase">
        <Lock size={12} aria-hidden />
        {t('note.private')}
        <span className="font-normal normal-case">
          {author} · <time dateTime={note.created_at}>{clockTime(note.created_at)}</time>
        </span>
      </p>
      <p dir="auto" className="break-words whitespace-pre-wrap">
        {mentionParts(note.body, members).map((part) =>
          part.userId ? <strong key={part.at}>{part.text}</strong> : part.text,
        )}
      </p>
    </article>
  );
}
