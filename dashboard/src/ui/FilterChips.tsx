import { locale } from '@/i18n';

interface Chip<T extends string> {
  value: T;
  label: string;
  /** How many there are, if that is known. */
  count?: number | undefined;
}

interface FilterChipsProps<T extends string> {
  /** What is filtered by, for screen readers. */
  label: string;
  /** The words of the chip that filters nothing, if there is one. */
  all?: string;
  /** How many there are without a filter, if that is known. */
  total?: number | undefined;
  chips: ReadonlyArray<Chip<T>>;
  value: T | undefined;
  onChange: (value: T | undefined) => void;
}

/** A filter with few values, each in sight. Others have a select. */
export function FilterChips<T extends string>({
  label,
  all,
  total,
  chips,
  value,
  onChange,
}: FilterChipsProps<T>) {
  return (
    <fieldset className="flex min-w-0 flex-wrap gap-1.5">
      <legend className="sr-only">{label}</legend>
      {[...(all ? [{ value: undefined, label: all, count: total }] : []), ...chips].map((chip) => (
        <button
          key={chip.value ?? ''}
          type="button"
          aria-pressed={value === chip.value}
          onClick={() => onChange(chip.value)}
          className="min-h-chip rounded-full border border-line px-3 text-sm font-medium whitespace-nowrap text-ink-soft hover:bg-sunken aria-pressed:border-transparent aria-pressed:bg-selected aria-pressed:text-ink"
        >
          {chip.label}
          {chip.count !== undefined && (
            <span className="ms-1 tabular-nums">{chip.count.toLocaleString(locale())}</span>
          )}
        </button>
      ))}
    </fieldset>
  );
}
