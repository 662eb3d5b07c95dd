import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '@/api/errors';
import { t } from '@/i18n';
import { Button } from '@/ui/Button';
import { ErrorNotice } from '@/ui/ErrorNotice';
import type { SettingsDraft } from './useSettingsDraft';

interface DraftFormProps<T extends object> {
  edit: SettingsDraft<T>;
  /** Stores only what was changed here, so that a colleague's other changes stay. */
  onSave: (changes: Partial<T>) => Promise<unknown>;
  children: (errorAt: (path: string) => string | undefined) => ReactNode;
}

/** One of several forms of a page. Once something is changed it can be saved or discarded. */
export function DraftForm<T extends object>({ edit, onSave, children }: DraftFormProps<T>) {
  const save = useMutation({ mutationFn: onSave, onSuccess: edit.discard });
  const { error } = save;
  const asked = new Set<string>();
  const errorAt = (path: string) => {
    asked.add(path);
    return error instanceof ApiError ? error.at(path) : undefined;
  };
  const fields = children(errorAt);
  const isPlaced =
    error instanceof ApiError &&
    error.details.length > 0 &&
    error.details.every(({ path }) => asked.has(path ?? ''));
  const discard = () => {
    save.reset();
    edit.discard();
  };
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (edit.isChanged && !save.isPending) save.mutate(edit.changes);
      }}
    >
      {fields}
      {edit.isOutdated && (
        <p role="alert" className="text-warning">
          {t('settings.outdated')}
        </p>
      )}
      {error !== null && !isPlaced && <ErrorNotice error={error} />}
      {edit.isChanged && (
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={discard}>{t('ui.discard')}</Button>
          <Button type="submit" kind="primary" busy={save.isPending}>
            {t('ui.save')}
          </Button>
        </div>
      )}
    </form>
  );
}
