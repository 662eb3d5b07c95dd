import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { Spinner } from './Spinner';

type Kind = 'primary' | 'secondary' | 'quiet' | 'danger';

const KINDS: Record<Kind, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong',
  secondary: 'border border-line-strong bg-surface hover:bg-sunken',
  quiet: 'hover:bg-sunken',
  danger: 'bg-danger text-on-danger hover:opacity-90',
};

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: Kind;
  busy?: boolean;
  icon?: ReactNode;
}

export function Button({
  kind = 'secondary',
  busy = false,
  icon,
  className = '',
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled || busy}
      aria-busy={busy || undefined}
      className={`inline-flex min-h-9.5 items-center justify-center gap-1.5 rounded-lg px-3 py-1.5 font-medium whitespace-nowrap disabled:cursor-not-allowed disabled:opacity-55 ${KINDS[kind]} ${className}`}
    >
      {busy ? <Spinner /> : icon}
      {children}
    </button>
  );
}

export interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** Read by screen readers and shown as a tooltip. */
  label: string;
  icon: ReactNode;
  pressed?: boolean;
}

export function IconButton({ label, icon, pressed, className = '', ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      {...rest}
      className={`inline-flex size-9.5 shrink-0 items-center justify-center rounded-lg text-ink-soft hover:bg-sunken hover:text-ink disabled:cursor-not-allowed disabled:opacity-50 aria-pressed:bg-active aria-pressed:text-ink ${className}`}
    >
      {icon}
    </button>
  );
}
