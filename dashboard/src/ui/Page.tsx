import { Link, type LinkProps } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { ErrorNotice } from './ErrorNotice';
import { Loading } from './Spinner';
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
    <div className="flex h-full min-h-0 w-full flex-col">
      <header className="flex flex-wrap items-center gap-2 min-h-15 border-b border-line bg-surface px-4 py-2.5">
        <div className="flex min-w-40 flex-1 items-center gap-2">
          {back}
          <h1 className="line-clamp-2 min-w-0 flex-1 text-xl leading-tight font-semibold break-words">
            {title}
          </h1>
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
    </div>
  );
}

interface UnreadyProps {
  title: string;
  back?: ReactNode;
  error: unknown;
  onRetry: () => void;
}

/** A page whose content is still being read, or could not be read. */
export function UnreadyPage({ title, back, error, onRetry }: UnreadyProps) {
  return (
    <Page title={title} back={back}>
      {error ? (
        <div className="page-column">
          <ErrorNotice error={error} onRetry={onRetry} />
        </div>
      ) : (
        <Loading />
      )}
    </Page>
  );
}

/** The way back to a list. */
export function BackLink({ label, ...link }: { label: string } & LinkProps) {
  return (
    <Link {...link} aria-label={label} className="rounded-lg p-2 hover:bg-sunken">
      <ArrowLeft size={18} aria-hidden className="rtl:rotate-180" />
    </Link>
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
