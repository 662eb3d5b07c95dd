import type { ReactNode } from 'react';
import { usePageTitle } from './usePageTitle';

interface PageProps {
  title: string;
  /** Shown before the title: the way back on a narrow screen. */
  back?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A page with a heading and its actions; the content scrolls below. */
export function Page({ title, back, actions, children }: PageProps) {
  usePageTitle(title);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <header className="flex flex-wrap items-center gap-2 min-h-15 border-b border-line bg-surface px-4 py-2.5">
        <div className="flex min-w-40 flex-1 items-center gap-2">
          {back}
          <h1 className="min-w-0 flex-1 truncate text-xl font-semibold">{title}</h1>
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
    </div>
  );
}

/** A titled block within a page. */
export function Section({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="rounded-xl border border-line bg-surface p-4">
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <h2 className="flex-1 text-base font-semibold">{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}
