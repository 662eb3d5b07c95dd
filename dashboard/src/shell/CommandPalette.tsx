import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { useQueries } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type Command, useAllCommands } from '@/commands/commands';
import { KeyCaps } from '@/commands/KeyCaps';
import { t } from '@/i18n';
import { useCan } from '@/session/session';
import { ErrorNotice } from '@/ui/ErrorNotice';
import { useReturnFocus } from '@/ui/opener';
import { useDebounced } from '@/ui/useDebounced';
import { type FoundItem, isNamed, QUERY_CHARS_MAX, QUERY_CHARS_MIN, searchQueries } from './search';

/** A command, or something that was found. */
interface Entry {
  id: string;
  label: string;
  detail?: string;
  shortcut?: string | undefined;
  run: () => void;
}

interface Group {
  value: string;
  items: Entry[];
}

/** What concerns the page in front comes first, the ways to other pages last. */
function grouped(commands: readonly Command[]): Group[] {
  const groups = new Map<string, Entry[]>([[t('palette.conversation'), []]]);
  for (const command of commands) groups.set(command.group, [...(groups.get(command.group) ?? []), command]);
  return [...groups].map(([value, items]) => ({ value, items })).filter(({ items }) => items.length > 0);
}

/** What the server found for the words typed. Nothing of what was found for other words. */
function useFound(typed: string) {
  const can = useCan();
  const words = useDebounced(typed);
  const results = useQueries({ queries: searchQueries(words, can) });
  const wanted = typed.length >= QUERY_CHARS_MIN;
  const settled = wanted && words === typed;
  const failed = settled ? results.filter((result) => result.isError) : [];
  return {
    groups: settled ? results.flatMap(({ data }) => (data && data.items.length > 0 ? [data] : [])) : [],
    searching: wanted && (!settled || results.some((result) => result.isPending)),
    error: failed[0]?.error ?? null,
    retry: () => {
      for (const result of failed) void result.refetch();
    },
  };
}

export function CommandPalette({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { popup, finalFocus } = useReturnFocus(open);
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-overlay" />
        <Dialog.Popup
          ref={popup}
          finalFocus={finalFocus}
          aria-label={t('palette.title')}
          className="popup fixed inset-x-3 top-[12dvh] z-50 mx-auto flex max-h-[70dvh] max-w-xl flex-col overflow-hidden"
        >
          <Finder onClose={onClose} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Finder({ onClose }: { onClose: () => void }) {
  const commands = useAllCommands();
  const navigate = useNavigate();
  const [query, setQuery] = useState('');
  const typed = query.trim().slice(0, QUERY_CHARS_MAX);
  const found = useFound(typed);
  const run = (entry: Entry) => {
    onClose();
    // The palette gives the focus back first; the command may move it.
    setTimeout(entry.run, 0);
  };
  const entryOf = ({ id, label, detail, open }: FoundItem): Entry => ({
    id,
    label,
    detail,
    run: () => void open(navigate),
  });
  // Below the commands, so that nothing moves away under the cursor when they come.
  const groups: Group[] = [
    ...grouped(commands.filter(({ label }) => isNamed(label, typed))),
    ...found.groups.map(({ title, items }) => ({ value: title, items: items.map(entryOf) })),
  ];
  const none = groups.length === 0 && !found.searching && found.error === null;
  return (
    <Autocomplete.Root
      items={groups}
      value={query}
      onValueChange={setQuery}
      filter={null}
      open
      inline
      autoHighlight="always"
      itemToStringValue={(item: Entry) => item.label}
    >
      <Autocomplete.Input
        autoFocus
        aria-label={t('palette.search')}
        placeholder={t('palette.search')}
        className="w-full border-b border-line bg-transparent p-4 text-base outline-none"
      />
      <div className="min-h-0 overflow-y-auto p-1">
        <Autocomplete.List>
          {(group: Group) => (
            <Autocomplete.Group key={group.value} items={group.items}>
              <Autocomplete.GroupLabel className="px-2.5 pt-2 pb-1 text-xs font-semibold text-ink-soft uppercase">
                {group.value}
              </Autocomplete.GroupLabel>
              <Autocomplete.Collection>
                {(entry: Entry) => (
                  <Autocomplete.Item
                    key={entry.id}
                    value={entry}
                    onClick={() => run(entry)}
                    className="flex min-h-10 cursor-pointer items-center gap-3 rounded-md px-2.5 data-highlighted:bg-sunken"
                  >
                    <span className="max-w-[60%] flex-none truncate">{entry.label}</span>
                    <span className="min-w-0 flex-1 truncate text-sm text-ink-soft">{entry.detail}</span>
                    {entry.shortcut && <KeyCaps shortcut={entry.shortcut} />}
                  </Autocomplete.Item>
                )}
              </Autocomplete.Collection>
            </Autocomplete.Group>
          )}
        </Autocomplete.List>
        {found.error !== null && <ErrorNotice error={found.error} onRetry={found.retry} />}
        <p role="status" className="px-2.5 text-ink-soft not-empty:py-2">
          {found.searching ? t('palette.searching') : none ? t('palette.none') : ''}
        </p>
      </div>
    </Autocomplete.Root>
  );
}
