import { useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { BulkJob } from '@/api/schema';
import { t } from '@/i18n';
import { Button, IconButton } from './Button';
import { type BulkCount, byIds, runBulk } from './bulk';
import { notify, notifyFailure } from './toast';

export interface BulkSelection {
  selected: ReadonlySet<string>;
  /** Every loaded row is selected: all that match may be meant. */
  allLoaded: boolean;
  onSelectAll: () => void;
  onDone: () => void;
}

interface BulkBarProps<Subject, Change> extends BulkSelection {
  /** Jobs for all rows that match the filter. */
  allMatching: () => Subject[] | Promise<Subject[]>;
  start: (subject: Subject | { ids: string[] }, change: Change) => Promise<BulkJob>;
  read: (id: string) => Promise<BulkJob>;
  /** The list to read again at the end. */
  list: string;
  /** The controls that start a change. */
  children: (run: (change: Change) => void, busy: boolean) => ReactNode;
}

/** What is done with the selected rows of a list, or with all that match its filter. */
export function BulkBar<Subject, Change>({
  selected,
  allLoaded,
  onSelectAll,
  onDone,
  allMatching,
  start,
  read,
  list,
  children,
}: BulkBarProps<Subject, Change>) {
  const client = useQueryClient();
  const [matching, setMatching] = useState(false);
  const [progress, setProgress] = useState<Pick<BulkCount, 'done' | 'total'> | null>(null);
  const run = async (change: Change) => {
    setProgress({ done: 0, total: selected.size });
    try {
      const subjects = matching ? await allMatching() : byIds([...selected]);
      const count = await runBulk<Subject | { ids: string[] }>(
        subjects,
        (subject) => start(subject, change),
        read,
        setProgress,
      );
      notify(
        count.failed > 0
          ? t('bulk.doneWithFailures', { done: count.done, failed: count.failed })
          : t('bulk.done', { count: count.done }),
      );
      void client.invalidateQueries({ queryKey: [list] });
      onDone();
    } catch (error) {
      notifyFailure(t('bulk.failed'), error);
    } finally {
      setProgress(null);
    }
  };
  return (
    <div
      role="toolbar"
      aria-label={t('bulk.label')}
      className="flex flex-wrap items-center gap-1 border-b border-line bg-selected px-3 py-1.5"
    >
      <IconButton label={t('bulk.clear')} icon={<X size={18} aria-hidden />} onClick={onDone} />
      <span aria-live="polite" className="flex-1 text-sm font-medium whitespace-nowrap">
        {progress
          ? t('bulk.progress', { done: progress.done, total: progress.total })
          : matching
            ? t('bulk.allMatching')
            : t('bulk.selected', { count: selected.size })}
      </span>
      {!allLoaded && (
        <Button kind="quiet" onClick={onSelectAll}>
          {t('bulk.selectLoaded')}
        </Button>
      )}
      {allLoaded && !matching && (
        <Button kind="quiet" onClick={() => setMatching(true)}>
          {t('bulk.selectMatching')}
        </Button>
      )}
      {children((change) => void run(change), progress !== null)}
    </div>
  );
}
