import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';

interface DisclosureProps {
  /** What is always there. */
  summary: ReactNode;
  /** Whether it begins open. */
  open?: boolean;
  children: ReactNode;
}

/** A row that opens to show more. */
export function Disclosure({ summary, open = false, children }: DisclosureProps) {
  return (
    <details className="group" open={open}>
      <summary className="flex cursor-pointer list-none items-center gap-2 py-2">
        <ChevronDown
          size={16}
          aria-hidden
          className="shrink-0 text-ink-soft not-group-open:-rotate-90 rtl:not-group-open:rotate-90"
        />
        <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-0.5">{summary}</span>
      </summary>
      {children}
    </details>
  );
}
