import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Note } from '@/api/schema';
import { t } from '@/i18n';
import { useMemberName } from '@/session/members';
import { Button } from '@/ui/Button';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { TextArea } from '@/ui/Field';
import { Time } from '@/ui/Time';

interface NotesProps {
  notes: readonly Note[] | undefined;
  /** Absent when the member may only read. */
  onAdd?: ((body: string) => Promise<unknown>) | undefined;
}

/** Notes on a contact or an inquiry, with a form for another. */
export function Notes({ notes, onAdd }: NotesProps) {
  const memberName = useMemberName();
  const [text, setText] = useState('');
  const add = useMutation({
    mutationFn: async (body: string) => onAdd?.(body),
    onSuccess: () => setText(''),
  });
  return (
    <div className="flex flex-col gap-3">
      {onAdd && (
        <form
          className="flex flex-col gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            if (text.trim() !== '') add.mutate(text.trim());
          }}
        >
          <TextArea
            label={t('note.new')}
            hideLabel
            placeholder={t('note.placeholder')}
            rows={2}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          {add.isError && <ErrorNotice error={add.error} />}
          <div className="flex justify-end">
            <Button type="submit" busy={add.isPending} disabled={text.trim() === ''}>
              {t('note.add')}
            </Button>
          </div>
        </form>
      )}
      <ul className="flex flex-col gap-2">
        {notes?.map((note) => (
          <li key={note.id} className="rounded-lg bg-note px-3 py-2 text-note-ink">
            <p dir="auto" className="break-words whitespace-pre-wrap">
              {note.body}
            </p>
            <p className="text-xs">
              {memberName(note.author_user_id)} · <Time at={note.created_at} style="relative" />
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}
