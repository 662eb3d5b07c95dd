/**
 * The button that opens a menu, a select or a popover. The popup itself is loaded when somebody points at the button, focuses it
 * or opens it: most visits open none, and the code that places and guards a popup is large.
 */
import {
  cloneElement,
  type MouseEvent,
  type ReactElement,
  type RefObject,
  useId,
  useRef,
  useState,
} from 'react';

export type TriggerElement = ReactElement<Record<string, unknown>>;

export interface PopupProps {
  id: string;
  button: RefObject<HTMLButtonElement | null>;
  /** Whether a key opened it: then the first item of a menu has the focus. */
  byKey: RefObject<boolean>;
  open: boolean;
  onOpenChange: (open: boolean, event: Event) => void;
}

interface TriggerOptions {
  kind: 'menu' | 'listbox' | 'dialog';
  trigger: TriggerElement;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  load: () => Promise<unknown>;
}

/** `popup` is null until the popup was opened once. */
export function usePopupTrigger({ kind, trigger, open, onOpenChange, load }: TriggerOptions): {
  button: ReactElement;
  popup: PopupProps | null;
} {
  const id = useId();
  const ref = useRef<HTMLButtonElement>(null);
  const byKey = useRef(false);
  const [used, setUsed] = useState(open);
  if (open && !used) setUsed(true);
  const warm = () => void load();
  const button = cloneElement(trigger, {
    ref,
    'aria-haspopup': kind,
    'aria-expanded': open,
    'aria-controls': open ? id : undefined,
    onPointerEnter: warm,
    onFocus: warm,
    onClick: (event: MouseEvent) => {
      event.preventDefault();
      // A click by Enter or Space counts no presses.
      byKey.current = event.detail === 0;
      onOpenChange(!open);
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (kind === 'dialog' || open || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
      event.preventDefault();
      byKey.current = true;
      onOpenChange(true);
    },
  });
  const change: PopupProps['onOpenChange'] = (next, event) => {
    // A press on the button is a press beside the popup too: the button alone decides.
    const isOnButton = event.target instanceof Node && ref.current?.contains(event.target);
    if (!next && isOnButton && event.type !== 'keydown') return;
    onOpenChange(next);
  };
  return { button, popup: used ? { id, button: ref, byKey, open, onOpenChange: change } : null };
}
