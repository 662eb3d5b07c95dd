import type { ReactNode } from 'react';

interface EmptyStateProps {
  icon: ReactNode;
  title: string;
  /** What to do now. */
  children?: ReactNode;
  action?: ReactNode;
  /** It is all that the page shows, so its title is the page's heading. */
  isPage?: boolean;
}

export function EmptyState({ icon, title, children, action, isPage = false }: EmptyStateProps) {
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-2 px-6 py-12 text-center">
      <div className="text-ink-soft" aria-hidden>
        {icon}
      </div>
      <Heading className="text-lg font-semibold">{title}</Heading>
      {children && <div className="text-ink-soft">{children}</div>}
      {action && <div className="mt-2 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}
