import { type ReactNode, useId } from 'react';

interface SwitchProps {
  label: ReactNode;
  hint?: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}

/** On or off, at once visible. A checkbox to the browser and a switch to screen readers. */
export function Switch({ label, hint, checked, onChange, disabled = false }: SwitchProps) {
  const id = useId();
  return (
    <div className="flex items-start gap-3 py-1">
      <div className="min-w-0 flex-1">
        <label htmlFor={id} className="block">
          {label}
        </label>
        {hint && (
          <p id={`${id}-hint`} className="text-sm text-ink-soft">
            {hint}
          </p>
        )}
      </div>
      <input
        id={id}
        type="checkbox"
        role="switch"
        aria-checked={checked}
        checked={checked}
        disabled={disabled}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.target.checked)}
        className="relative mt-0.5 h-5.5 w-10 shrink-0 cursor-pointer appearance-none rounded-full border border-line-strong bg-sunken transition-colors before:absolute before:start-0.5 before:top-0.5 before:size-4 before:rounded-full before:bg-line-strong before:transition-transform checked:border-accent checked:bg-accent checked:before:translate-x-4.5 checked:before:bg-on-accent disabled:cursor-not-allowed disabled:opacity-55 rtl:checked:before:-translate-x-4.5"
      />
    </div>
  );
}
