import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Lock } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useAttempts } from '@/api/attempts';
import { t } from '@/i18n';
import { useActiveMembers } from '@/session/members';
import { Button } from '@/ui/Button';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { conversationNotesQuery } from '../queries';
import { findMembers, insertMention, mentionedIds, mentionQuery } from './mentions';
import { Suggestions } from './Suggestions';
import { TextBox } from './TextBox';
import { useDraftText } from './useDraftText';

/** Writes a private note. It has no way to reach the customer: it calls another route than a reply. */
export function NoteForm({ conversationId }: { conversationId: string }) {
  const client = useQueryClient();
  const draft = useDraftText(conversationId, 'note');
  const members = useActiveMembers();
  const attempts = useAttempts();
  const keys = useRef<((event: KeyboardEvent) => boolean) | null>(null);
  const [dismissed, setDismissed] = useState('');
  const store = useMutation({
    mutationFn: (body: string) =>
      attempts.call('POST /conversations/{id}/notes', {
        path: { id: conversationId },
        body: { body, mentioned_user_ids: mentionedIds(body, members) },
      }),
    onSuccess: ({ data: note }) => {
      client.setQueryData(
        conversationNotesQuery(conversationId).queryKey,
        (notes) => notes && [note, ...notes.filter((other) => other.id !== note.id)],
      );
      draft.clear();
    },
  });
  const save = () => {
    const body = draft.text.trim();
    if (body && !store.isPending) store.mutate(body);
  };
  const query = draft.text === dismissed ? null : mentionQuery(draft.text);
  const found = query === null ? [] : findMembers(members, query);
  return (
    <form
      className="p-3 text-note-ink"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      {store.isError && <ErrorNotice error={store.error} />}
      {found.length > 0 && (
        <Suggestions
          key={query}
          label={t('note.mention')}
          items={found}
          itemKey={(member) => member.id}
          render={(member) => member.name}
          keys={keys}
          onChoose={(member) => draft.setText(insertMention(draft.text, member))}
          onClose={() => setDismissed(draft.text)}
        />
      )}
      <TextBox
        onKey={(event) => (found.length > 0 ? (keys.current?.(event) ?? false) : false)}
        label={t('composer.noteLabel')}
        placeholder={t('composer.notePlaceholder')}
        text={draft.text}
        onText={draft.setText}
        onSend={save}
      />
      <div className="mt-2 flex items-center gap-2">
        <p className="flex flex-1 items-center gap-1.5 text-sm">
          <Lock size={14} aria-hidden />
          {t('note.neverSent')}
        </p>
        <Button
          type="submit"
          busy={store.isPending}
          disabled={draft.text.trim() === ''}
          icon={<Lock size={16} aria-hidden />}
        >
          {t('composer.saveNote')}
        </Button>
      </div>
    </form>
  );
}
