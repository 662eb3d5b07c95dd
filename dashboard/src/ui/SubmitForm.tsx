import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '@/api/errors';
import { t } from '@/i18n';
import { Button } from './Button';
import { DialogActions } from './Dialog';
import { ErrorNotice } from './ErrorNotice';

interface SubmitFormProps {
  /** Receives the form; its failure is shown, at the field where the server named one. */
  onSubmit: (form: FormData) => Promise<unknown>;
  action: string;
  onCancel?: () => void;
  disabled?: boolean;
  children: (errorAt: (path: string) => string | undefined) => ReactNode;
}

/** A form with its busy state and its errors. */
export function SubmitForm({ onSubmit, action, onCancel, disabled = false, children }: SubmitFormProps) {
  const { mutate, isPending, error } = useMutation({ mutationFn: onSubmit });
  const asked = new Set<string>();
  const errorAt = (path: string) => {
    asked.add(path);
    return error instanceof ApiError ? error.at(path) : undefined;
  };
  const fields = children(errorAt);
  const placed =
    error instanceof ApiError &&
    error.details.length > 0 &&
    error.details.every((detail) => asked.has(detail.path ?? ''));
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        mutate(new FormData(event.currentTarget));
      }}
    >
      {fields}
      {error !== null && !placed && <ErrorNotice error={error} />}
      <DialogActions>
        {onCancel && <Button onClick={onCancel}>{t('ui.cancel')}</Button>}
        <Button type="submit" kind="primary" busy={isPending} disabled={disabled}>
          {action}
        </Button>
      </DialogActions>
    </form>
  );
}

export const textOf = (form: FormData, name: string): string => String(form.get(name) ?? '').trim();
