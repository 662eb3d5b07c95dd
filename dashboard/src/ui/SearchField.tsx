import type { Ref } from 'react';
import { TextField } from './Field';

/** Where one types what a list is searched for. Its label is for screen readers; others see the hint. */
export function SearchField({
  ref,
  label,
  hint = label,
  value,
  onChange,
}: {
  ref?: Ref<HTMLInputElement>;
  label: string;
  hint?: string;
  value: string;
  onChange: (text: string) => void;
}) {
  return (
    <TextField
      ref={ref}
      label={label}
      hideLabel
      type="search"
      placeholder={hint}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
