import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';

type Kind = 'primary' | 'secondary';

const KINDS: Record<Kind, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong',
  secondary: 'border border-line-strong bg-surface hover:bg-sunken',
};

/** The look of a button, for an anchor that leads out of the dashboard. */
export const linkButton = (kind: Kind): string =>
  `inline-flex min-h-9.5 items-center justify-center gap-1.5 rounded-lg px-3 py-1.5 font-medium whitespace-nowrap ${KINDS[kind]}`;

/** A link that looks like a button: it leads to another page, where something is done. */
export function LinkButton({
  kind = 'secondary',
  icon,
  children,
  ...link
}: { kind?: Kind; icon?: ReactNode; children: ReactNode } & LinkProps) {
  return (
    <Link {...link} className={linkButton(kind)}>
      {icon}
      {children}
    </Link>
  );
}
