import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useState } from 'react';

interface SuggestionsProps<T> {
  label: string;
  items: readonly T[];
  itemKey: (item: T) => string;
  render: (item: T) => ReactNode;
  /** Receives the keys that the text field gets while the list is open. */
  keys: RefObject<((event: KeyboardEvent) => boolean) | null>;
  onChoose: (item: T) => void;
  onClose: () => void;
}

/** A list above the text field, chosen from by arrows and Enter while the focus stays in the text. */
export function Suggestions<T>({
  label,
  items,
  itemKey,
  render,
  keys,
  onChoose,
  onClose,
}: SuggestionsProps<T>) {
  const [marked, setMarked] = useState(0);
  const active = Math.min(marked, items.length - 1);
  useEffect(() => {
    keys.current = (event) => {
      const chosen = items[active];
      if (event.key === 'ArrowDown') setMarked((active + 1) % items.length);
      else if (event.key === 'ArrowUp') setMarked((active - 1 + items.length) % items.length);
      else if (event.key === 'Escape') onClose();
      else if ((event.key === 'Enter' || event.key === 'Tab') && chosen) onChoose(chosen);
      else return false;
      return true;
    };
    return () => {
      keys.current = null;
    };
  });
  return (
    <ul role="listbox" aria-label={label} className="popup mb-2 max-h-60 overflow-y-auto p-1 text-ink">
      {items.map((item, index) => (
        <li
          key={itemKey(item)}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(item)}
          className={`flex cursor-pointer gap-3 rounded-md px-2.5 py-1.5 ${index === active ? 'bg-sunken' : ''}`}
        >
          {render(item)}
        </li>
      ))}
    </ul>
  );
}
