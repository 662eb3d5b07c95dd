import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { Spinner } from './Spinner';

export type ButtonKind = 'primary' | 'secondary' | 'quiet' | 'danger';

export const BUTTON =
  'inline-flex min-h-control items-center justify-center gap-1.5 rounded-lg px-3 py-1 font-medium whitespace-nowrap disabled:cursor-not-allowed disabled:opacity-55';
export const KINDS: Record<ButtonKind, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong',
  secondary: 'border border-line-strong bg-surface hover:bg-sunken',
  quiet: 'hover:bg-sunken',
  danger: 'bg-danger text-on-danger hover:opacity-90',
};

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: ButtonKind;
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
      className={`${BUTTON} ${KINDS[kind]} ${className}`}
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
      className={`inline-flex size-control shrink-0 items-center justify-center rounded-lg text-ink-soft hover:bg-sunken hover:text-ink disabled:cursor-not-allowed disabled:opacity-50 aria-pressed:bg-active aria-pressed:text-ink ${className}`}
    >
      {icon}
    </button>
  );
}
