import { type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useId } from 'react';

export interface Described {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  /** The label is there for screen readers only. */
  hideLabel?: boolean;
}

interface Wiring {
  id: string;
  'aria-invalid': true | undefined;
  'aria-describedby': string | undefined;
}

/** A label, what it labels, and the hint and error below. */
export function Field({
  label,
  hint,
  error,
  hideLabel,
  children,
}: Described & { children: (wiring: Wiring) => ReactNode }) {
  const id = useId();
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'font-medium'}>
        {label}
      </label>
      {children({ id, 'aria-invalid': error ? true : undefined, 'aria-describedby': describedBy })}
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-ink-soft">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} role="alert" className="text-sm text-danger">
          {error}
        </p>
      )}
    </div>
  );
}

type Without<T> = Omit<T, 'id' | 'className'>;

export function TextField({
  label,
  hint,
  error,
  hideLabel,
  ...input
}: Described & Without<InputHTMLAttributes<HTMLInputElement>> & { ref?: React.Ref<HTMLInputElement> }) {
  return (
    <Field {...{ label, hint, error, hideLabel }}>
      {(wiring) => <input {...input} {...wiring} className="control" />}
    </Field>
  );
}

export function TextArea({
  label,
  hint,
  error,
  hideLabel,
  ...input
}: Described & Without<TextareaHTMLAttributes<HTMLTextAreaElement>>) {
  return (
    <Field {...{ label, hint, error, hideLabel }}>
      {(wiring) => <textarea rows={4} {...input} {...wiring} className="control" />}
    </Field>
  );
}

export function Checkbox({
  label,
  hint,
  ...input
}: { label: ReactNode; hint?: ReactNode } & Without<InputHTMLAttributes<HTMLInputElement>>) {
  return (
    <label className="flex items-start gap-2 py-1">
      <input type="checkbox" {...input} className="mt-0.5 size-4.5 shrink-0 accent-accent" />
      <span className="min-w-0">
        {label}
        {hint && <span className="block text-sm text-ink-soft">{hint}</span>}
      </span>
    </label>
  );
}
