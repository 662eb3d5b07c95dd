import { type FormEvent, useState } from 'react';
import type { Note } from '@/api/schema';
import { t } from '@/i18n';
import { useMemberName } from '@/session/members';
import { Button } from './Button';
import { ErrorNotice } from './ErrorNotice';
import { TextArea } from './Field';
import { Time } from './Time';

interface NotesProps {
  notes: readonly Note[] | undefined;
  /** Absent when the member may only read. */
  onAdd?: ((body: string) => Promise<unknown>) | undefined;
}

/** Notes on a contact or an inquiry, with a form for another. */
export function Notes({ notes, onAdd }: NotesProps) {
  const memberName = useMemberName();
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const add = async (event: FormEvent) => {
    event.preventDefault();
    if (!onAdd || text.trim() === '') return;
    setBusy(true);
    setError(null);
    try {
      await onAdd(text.trim());
      setText('');
    } catch (cause) {
      setError(cause);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="flex flex-col gap-3">
      {onAdd && (
        <form onSubmit={(event) => void add(event)} className="flex flex-col gap-2">
          <TextArea
            label={t('note.new')}
            hideLabel
            placeholder={t('note.placeholder')}
            rows={2}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          {error !== null && <ErrorNotice error={error} />}
          <div className="flex justify-end">
            <Button type="submit" busy={busy} disabled={text.trim() === ''}>
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
