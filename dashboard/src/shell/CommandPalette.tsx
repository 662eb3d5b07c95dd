import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { t } from '@/i18n';
import { type Command, useAllCommands } from './commands';
import { KeyCaps } from './KeyCaps';

interface Group {
  value: string;
  items: Command[];
}

/** What concerns the page in front comes first, the ways to other pages last. */
function grouped(commands: readonly Command[]): Group[] {
  const groups = new Map<string, Command[]>([[t('palette.conversation'), []]]);
  for (const command of commands) groups.set(command.group, [...(groups.get(command.group) ?? []), command]);
  return [...groups].map(([value, items]) => ({ value, items })).filter(({ items }) => items.length > 0);
}

export function CommandPalette({ open, onClose }: { open: boolean; onClose: () => void }) {
  const commands = useAllCommands();
  const run = (command: Command) => {
    onClose();
    // The palette gives the focus back first; the command may move it.
    setTimeout(command.run, 0);
  };
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-overlay" />
        <Dialog.Popup
          aria-label={t('palette.title')}
          className="popup fixed inset-x-3 top-[12dvh] z-50 mx-auto flex max-h-[70dvh] max-w-xl flex-col overflow-hidden"
        >
          <Autocomplete.Root
            items={grouped(commands)}
            open
            inline
            autoHighlight="always"
            itemToStringValue={(item: Command) => item.label}
          >
            <Autocomplete.Input
              autoFocus
              aria-label={t('palette.search')}
              placeholder={t('palette.search')}
              className="w-full border-b border-line bg-transparent p-4 text-base outline-none"
            />
            <div className="min-h-0 overflow-y-auto p-1">
              <Autocomplete.Empty className="p-4 text-ink-soft empty:hidden">
                {t('palette.none')}
              </Autocomplete.Empty>
              <Autocomplete.List>
                {(group: Group) => (
                  <Autocomplete.Group key={group.value} items={group.items}>
                    <Autocomplete.GroupLabel className="px-2.5 pt-2 pb-1 text-xs font-semibold text-ink-soft uppercase">
                      {group.value}
                    </Autocomplete.GroupLabel>
                    <Autocomplete.Collection>
                      {(command: Command) => (
                        <Autocomplete.Item
                          key={command.id}
                          value={command}
                          onClick={() => run(command)}
                          className="flex min-h-10 cursor-pointer items-center gap-3 rounded-md px-2.5 data-highlighted:bg-sunken"
                        >
                          <span className="min-w-0 flex-1 truncate">{command.label}</span>
                          {command.shortcut && <KeyCaps shortcut={command.shortcut} />}
                        </Autocomplete.Item>
                      )}
                    </Autocomplete.Collection>
                  </Autocomplete.Group>
                )}
              </Autocomplete.List>
            </div>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
