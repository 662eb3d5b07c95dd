import { Combobox } from '@base-ui/react/combobox';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '@/i18n';
import { type Described, Field } from './Field';

export interface PickerProps<T> extends Omit<Described, 'hideLabel'> {
  items: readonly T[];
  /** What the member types is matched against this, and it is what the field shows. */
  text: (item: T) => string;
  itemKey: (item: T) => string;
  value: T | null;
  onChange: (item: T | null) => void;
  render?: (item: T) => ReactNode;
  placeholder?: string;
  /** The field has the focus when a dialog opens. */
  autoFocus?: boolean;
  /** The list was already searched by the server. */
  onSearch?: (query: string) => void;
}

/** A field that finds one of many by typing. */
export function PickerField<T>(props: PickerProps<T>) {
  const {
    label,
    hint,
    error,
    items,
    text,
    itemKey,
    value,
    onChange,
    render,
    placeholder,
    autoFocus = false,
    onSearch,
  } = props;
  return (
    <Combobox.Root
      items={items as T[]}
      value={value}
      onValueChange={(next: T | null) => onChange(next)}
      itemToStringLabel={(item: T) => text(item)}
      isItemEqualToValue={(a: T, b: T) => itemKey(a) === itemKey(b)}
      {...(onSearch ? { filter: null, onInputValueChange: (query: string) => onSearch(query) } : {})}
    >
      <Field {...{ label, hint, error }}>
        {(wiring) => (
          <Combobox.Input {...wiring} className="control" placeholder={placeholder} autoFocus={autoFocus} />
        )}
      </Field>
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={4} className="z-60">
          <Combobox.Popup className="popup max-h-72 w-(--anchor-width) overflow-y-auto p-1">
            <Combobox.Empty className="px-2.5 py-1.5 text-ink-soft empty:hidden">
              {t('ui.noMatch')}
            </Combobox.Empty>
            <Combobox.List>
              {(item: T) => (
                <Combobox.Item
                  key={itemKey(item)}
                  value={item}
                  className="flex min-h-9 cursor-pointer items-center gap-2 rounded-md px-2.5 py-1.5 data-highlighted:bg-sunken"
                >
                  <span className="min-w-0 flex-1 truncate">{render ? render(item) : text(item)}</span>
                  <Combobox.ItemIndicator>
                    <Check size={16} aria-hidden />
                  </Combobox.ItemIndicator>
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}
