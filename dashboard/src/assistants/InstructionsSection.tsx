import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowDown, ArrowUp, Pencil, Plus, X } from 'lucide-react';
import { useState } from 'react';
import { useAttempts } from '@/api/attempts';
import { call } from '@/api/client';
import type { Instruction } from '@/api/schema';
import { t } from '@/i18n';
import { Button, IconButton } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { TextArea, TextField } from '@/ui/Field';
import { Picker } from '@/ui/Picker';
import { RowActions } from '@/ui/rows';
import { SubmitForm, textOf } from '@/ui/SubmitForm';
import { libraryQuery } from './queries';
import { EditorSection, type SectionProps } from './section';

const TITLE_CHARS_MAX = 200;
const BODY_CHARS_MAX = 20_000;

/** The instructions that it follows, in order, from a library that all assistants share. */
export function InstructionsSection({ draft, set, known }: SectionProps & { known: readonly Instruction[] }) {
  const library = useQuery(libraryQuery).data ?? [];
  const [editing, setEditing] = useState<Instruction | 'new' | null>(null);
  const ids = draft.instruction_ids;
  const find = (id: string) => [...library, ...known].find((instruction) => instruction.id === id);
  const setIds = (next: string[]) => set({ instruction_ids: next });
  const move = (index: number, by: 1 | -1) => {
    const id = ids[index];
    if (id) setIds(ids.toSpliced(index, 1).toSpliced(index + by, 0, id));
  };
  return (
    <EditorSection name="instructions">
      <p className="text-sm text-ink-soft">{t('instructions.help')}</p>
      {ids.length === 0 && <p className="text-ink-soft">{t('instructions.none')}</p>}
      <ol className="divide-y divide-line rounded-lg border border-line empty:hidden">
        {ids.map((id, index) => {
          const instruction = find(id);
          const name = instruction?.title ?? id;
          return (
            <li key={id} className="flex items-center gap-2 px-3 py-1.5">
              <span className="min-w-0 flex-1">
                <span className="block truncate font-medium">{name}</span>
                <span dir="auto" className="block truncate text-sm text-ink-soft">
                  {instruction?.body}
                </span>
              </span>
              <RowActions label={t('ui.actionsNamed', { name })}>
                <IconButton
                  label={t('instructions.up', { name })}
                  icon={<ArrowUp size={16} aria-hidden />}
                  disabled={index === 0}
                  onClick={() => move(index, -1)}
                />
                <IconButton
                  label={t('instructions.down', { name })}
                  icon={<ArrowDown size={16} aria-hidden />}
                  disabled={index === ids.length - 1}
                  onClick={() => move(index, 1)}
                />
                {instruction && (
                  <IconButton
                    label={t('ui.editNamed', { name })}
                    icon={<Pencil size={16} aria-hidden />}
                    onClick={() => setEditing(instruction)}
                  />
                )}
                <IconButton
                  label={t('instructions.remove', { name })}
                  icon={<X size={16} aria-hidden />}
                  onClick={() => setIds(ids.filter((other) => other !== id))}
                />
              </RowActions>
            </li>
          );
        })}
      </ol>
      <div className="flex flex-wrap items-end gap-2">
        <div className="flex min-w-48 flex-1 flex-col gap-1">
          <Picker<Instruction>
            label={t('instructions.add')}
            items={library.filter(({ id }) => !ids.includes(id))}
            text={({ title }) => title}
            itemKey={({ id }) => id}
            value={null}
            placeholder={t('instructions.addHint')}
            onChange={(chosen) => chosen && setIds([...ids, chosen.id])}
          />
        </div>
        <Button icon={<Plus size={16} aria-hidden />} onClick={() => setEditing('new')}>
          {t('instructions.new')}
        </Button>
      </div>
      <Dialog
        open={editing !== null}
        onClose={() => setEditing(null)}
        title={editing === 'new' ? t('instructions.new') : t('instructions.edit')}
        {...(editing !== 'new' && { description: t('instructions.editHelp') })}
        wide
      >
        {editing !== null && (
          <InstructionForm
            instruction={editing === 'new' ? null : editing}
            onCancel={() => setEditing(null)}
            onSaved={(saved) => {
              if (editing === 'new') setIds([...ids, saved.id]);
              setEditing(null);
            }}
          />
        )}
      </Dialog>
    </EditorSection>
  );
}

interface FormProps {
  instruction: Instruction | null;
  onCancel: () => void;
  onSaved: (instruction: Instruction) => void;
}

function InstructionForm({ instruction, onCancel, onSaved }: FormProps) {
  const attempts = useAttempts();
  const client = useQueryClient();
  return (
    <SubmitForm
      action={t('ui.save')}
      onCancel={onCancel}
      onSubmit={async (form) => {
        const body = { title: textOf(form, 'title'), body: textOf(form, 'body') };
        const { data } = instruction
          ? await call('PATCH /instructions/{id}', { path: { id: instruction.id }, body })
          : await attempts.call('POST /instructions', { body });
        await client.invalidateQueries({ queryKey: libraryQuery.queryKey });
        onSaved(data);
      }}
    >
      {(errorAt) => (
        <>
          <TextField
            label={t('instructions.name')}
            name="title"
            defaultValue={instruction?.title ?? ''}
            required
            maxLength={TITLE_CHARS_MAX}
            error={errorAt('title')}
            autoFocus
          />
          <TextArea
            label={t('instructions.body')}
            name="body"
            rows={8}
            defaultValue={instruction?.body ?? ''}
            required
            maxLength={BODY_CHARS_MAX}
            error={errorAt('body')}
          />
        </>
      )}
    </SubmitForm>
  );
}
