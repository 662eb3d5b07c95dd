import { useQuery, useQueryClient } from '@tanstack/react-query';
import { TagsIcon, X } from 'lucide-react';
import { useState } from 'react';
import { call } from '@/api/client';
import type { ContactBulk } from '@/api/schema';
import { t } from '@/i18n';
import { Button, IconButton } from '@/ui/Button';
import { byIds, runBulk } from '@/ui/bulk';
import { Menu, MenuItem, MenuLabel } from '@/ui/Menu';
import { notify, notifyFailure } from '@/ui/toast';
import { type ContactFilter, tagsQuery } from './queries';

interface BarProps {
  selected: ReadonlySet<string>;
  filter: ContactFilter;
  allLoaded: boolean;
  onSelectAll: () => void;
  onDone: () => void;
}

export function ContactBulkBar({ selected, filter, allLoaded, onSelectAll, onDone }: BarProps) {
  const client = useQueryClient();
  const tags = useQuery(tagsQuery).data ?? [];
  const [matching, setMatching] = useState(false);
  const [progress, setProgress] = useState<{ done: number; total: number } | null>(null);
  const run = async (change: Pick<ContactBulk, 'add_tag_ids' | 'remove_tag_ids'>) => {
    setProgress({ done: 0, total: selected.size });
    try {
      const count = await runBulk<Pick<ContactBulk, 'ids' | 'filter'>>(
        matching ? [{ filter }] : byIds([...selected]),
        async (subject) => (await call('POST /contacts/bulk', { body: { ...subject, ...change } })).data,
        async (id) => (await call('GET /contacts/bulk/{id}', { path: { id } })).data,
        setProgress,
      );
      notify(
        count.failed > 0
          ? t('bulk.doneWithFailures', { done: count.done, failed: count.failed })
          : t('bulk.done', { count: count.done }),
      );
      void client.invalidateQueries({ queryKey: ['contacts'] });
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
      className="flex flex-wrap items-center gap-1 border-b border-line bg-accent-soft px-3 py-1.5"
    >
      <IconButton label={t('bulk.clear')} icon={<X size={18} aria-hidden />} onClick={onDone} />
      <span aria-live="polite" className="flex-1 text-sm font-medium whitespace-nowrap">
        {progress
          ? t('bulk.progress', progress)
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
      <Menu
        trigger={
          <Button icon={<TagsIcon size={16} aria-hidden />} disabled={progress !== null}>
            {t('settings.tags')}
          </Button>
        }
      >
        <MenuLabel>{t('bulk.addTag')}</MenuLabel>
        {tags.map((tag) => (
          <MenuItem key={`add-${tag.id}`} onSelect={() => void run({ add_tag_ids: [tag.id] })}>
            {tag.name}
          </MenuItem>
        ))}
        <MenuLabel>{t('bulk.removeTag')}</MenuLabel>
        {tags.map((tag) => (
          <MenuItem key={`remove-${tag.id}`} onSelect={() => void run({ remove_tag_ids: [tag.id] })}>
            {tag.name}
          </MenuItem>
        ))}
      </Menu>
    </div>
  );
}
