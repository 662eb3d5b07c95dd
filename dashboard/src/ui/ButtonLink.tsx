import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { BUTTON, type ButtonKind, KINDS } from './Button';

/** The look of a button, for an anchor that leads out of the dashboard. */
export const buttonLook = (kind: ButtonKind): string => `${BUTTON} ${KINDS[kind]}`;

/** A link that looks like a button: it leads to another page, and can be opened in a new tab. */
export function ButtonLink({
  kind = 'secondary',
  icon,
  children,
  ...link
}: { kind?: ButtonKind; icon?: ReactNode; children: ReactNode } & Omit<LinkProps, 'children'>) {
  return (
    <Link {...link} className={buttonLook(kind)}>
      {icon}
      {children}
    </Link>
  );
}
