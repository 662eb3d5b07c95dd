import { Select } from '@base-ui/react/select';
import { Check } from 'lucide-react';
import { type RefObject, useEffect } from 'react';
import { useReturnFocus } from './opener';
import type { Choice } from './typeahead';
import type { PopupProps } from './usePopupTrigger';

interface SelectPopupProps extends PopupProps {
  choices: readonly Choice[];
  value: string;
  onChange: (value: string) => void;
}

/** The list of a select field, with the chosen option in view. */
export function SelectPopup({ id, button, open, onOpenChange, choices, value, onChange }: SelectPopupProps) {
  const { popup, finalFocus } = useReturnFocus(open, button);
  return (
    <Select.Root
      open={open}
      onOpenChange={(next, { event }) => onOpenChange(next, event)}
      value={value}
      onValueChange={(next: string | null) => onChange(next ?? '')}
      items={choices}
      modal={false}
    >
      <Select.Portal>
        <Select.Positioner
          anchor={button}
          sideOffset={4}
          align="start"
          alignItemWithTrigger={false}
          collisionPadding={8}
          className="z-60"
        >
          <Select.Popup
            id={id}
            ref={popup}
            finalFocus={finalFocus}
            className="popup max-h-[min(20rem,var(--available-height))] max-w-(--available-width) min-w-(--anchor-width) overflow-y-auto p-1"
          >
            <ChosenFocus popup={popup} />
            {groupsOf(choices).map(({ name, options }) =>
              name ? (
                <Select.Group key={name}>
                  <Select.GroupLabel className="px-2.5 pt-2 pb-1 text-xs font-semibold text-ink-soft">
                    {name}
                  </Select.GroupLabel>
                  <Options choices={options} />
                </Select.Group>
              ) : (
                <Options key="" choices={options} />
              ),
            )}
          </Select.Popup>
        </Select.Positioner>
      </Select.Portal>
    </Select.Root>
  );
}

function groupsOf(choices: readonly Choice[]): Array<{ name: string | undefined; options: Choice[] }> {
  const names = [...new Set(choices.map(({ group }) => group))];
  return names.map((name) => ({ name, options: choices.filter(({ group }) => group === name) }));
}

function Options({ choices }: { choices: readonly Choice[] }) {
  return choices.map((choice) => (
    <Select.Item
      key={choice.value}
      value={choice.value}
      lang={choice.lang}
      className="flex min-h-8 cursor-pointer items-center gap-2 rounded-md px-2.5 py-1 outline-none select-none data-highlighted:bg-sunken"
    >
      <Select.ItemText className="min-w-0 flex-1 truncate">{choice.label}</Select.ItemText>
      <span className="inline-flex w-4 shrink-0">
        <Select.ItemIndicator>
          <Check size={16} aria-hidden />
        </Select.ItemIndicator>
      </span>
    </Select.Item>
  ));
}

/** The arrow keys begin at the chosen option. */
function ChosenFocus({ popup }: { popup: RefObject<HTMLElement | null> }) {
  useEffect(() => {
    const options = popup.current?.querySelectorAll<HTMLElement>('[role="option"]') ?? [];
    const chosen = [...options].find((option) => option.getAttribute('aria-selected') === 'true');
    (chosen ?? options[0])?.focus({ preventScroll: true });
    (chosen ?? options[0])?.scrollIntoView({ block: 'nearest' });
  }, [popup]);
  return null;
}
