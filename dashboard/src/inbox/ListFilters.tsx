import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { SlidersHorizontal } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useCommands } from '@/commands/commands';
import { KEYS } from '@/commands/shortcuts';
import { t, tDynamic } from '@/i18n';
import { compactCount } from '@/i18n/time';
import { IconButton } from '@/ui/Button';
import { Popover } from '@/ui/Popover';
import { SearchField } from '@/ui/SearchField';
import { Loading } from '@/ui/Spinner';
import { useDebounced } from '@/ui/useDebounced';
import { useInboxCounts } from './counts';
import { type InboxSearch, VIEWS } from './search';

const FilterFields = lazy(async () => ({ default: (await import('./FilterFields')).FilterFields }));
const route = getRouteApi('/shell/inbox');

export function ListFilters() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const counts = useInboxCounts();
  const [text, setText] = useState(search.q ?? '');
  const [more, setMore] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const settled = useDebounced(text);
  const change = (next: Partial<Record<keyof InboxSearch, string | undefined>>) =>
    void navigate({ to: '.', search: (before) => ({ ...before, ...next }) as InboxSearch, replace: true });

  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed changes the address
  useEffect(() => {
    if (settled !== (search.q ?? '')) change({ q: settled || undefined });
  }, [settled]);
  useCommands([
    {
      id: 'inbox.search',
      group: t('nav.inbox'),
      label: t('inbox.search'),
      shortcut: KEYS.search,
      run: () => input.current?.focus(),
    },
  ]);

  const view = search.view ?? 'all';
  const filters = (search.channel ? 1 : 0) + (search.status ? 1 : 0);
  return (
    <div className="flex flex-col gap-2 border-b border-line p-3">
      <div className="flex gap-2">
        <div className="flex-1">
          <SearchField
            ref={input}
            label={t('inbox.search')}
            hint={t('inbox.searchHint')}
            value={text}
            onChange={setText}
          />
        </div>
        <Popover
          label={t('inbox.filters')}
          open={more}
          onOpenChange={setMore}
          trigger={
            <IconButton
              label={t('inbox.filters')}
              pressed={filters > 0}
              icon={<SlidersHorizontal size={18} aria-hidden />}
            />
          }
        >
          <Suspense fallback={<Loading />}>
            <FilterFields search={search} onChange={change} />
          </Suspense>
        </Popover>
      </div>
      <fieldset className="flex min-w-0 flex-wrap gap-0.5">
        <legend className="sr-only">{t('inbox.views')}</legend>
        {VIEWS.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={view === name}
            onClick={() => change({ view: name === 'all' ? undefined : name })}
            className="min-w-0 flex-auto truncate rounded-lg px-2 py-1.5 text-sm font-medium text-ink-soft hover:bg-sunken aria-pressed:bg-active aria-pressed:text-ink"
          >
            {tDynamic('view', name)}
            {counts && (
              <span className="ms-1 inline-block text-xs font-normal">{compactCount(counts[name])}</span>
            )}
          </button>
        ))}
      </fieldset>
    </div>
  );
}
