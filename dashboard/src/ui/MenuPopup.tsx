import { Menu as Base } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect } from 'react';
import { type MenuParts, MenuPartsContext } from './menuParts';
import { useReturnFocus } from './opener';
import type { PopupProps } from './usePopupTrigger';

interface MenuPopupProps extends PopupProps {
  align: 'start' | 'end';
  children: ReactNode;
}

export function MenuPopup({ id, button, byKey, open, onOpenChange, align, children }: MenuPopupProps) {
  const { popup, finalFocus } = useReturnFocus(open, button);
  return (
    <Base.Root open={open} onOpenChange={(next, { event }) => onOpenChange(next, event)}>
      <Base.Portal>
        <Base.Positioner anchor={button} sideOffset={4} align={align} className="z-50">
          <Base.Popup
            id={id}
            ref={popup}
            finalFocus={finalFocus}
            className="popup max-h-[70dvh] max-w-[min(24rem,calc(100vw-1rem))] min-w-44 overflow-y-auto p-1"
          >
            <FirstItemFocus popup={popup} byKey={byKey} />
            <MenuPartsContext value={PARTS}>{children}</MenuPartsContext>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function FirstItemFocus({
  popup,
  byKey,
}: {
  popup: RefObject<HTMLElement | null>;
  byKey: RefObject<boolean>;
}) {
  useEffect(() => {
    if (byKey.current)
      popup.current?.querySelector<HTMLElement>('[role^="menuitem"]')?.focus({ preventScroll: true });
    byKey.current = false;
  }, [popup, byKey]);
  return null;
}

const ITEM =
  'flex min-h-9 w-full cursor-pointer items-center gap-2 rounded-md px-2.5 py-1.5 outline-none select-none data-highlighted:bg-sunken data-disabled:cursor-not-allowed data-disabled:opacity-50';

const PARTS: MenuParts = {
  item: ({ children, onSelect, icon, danger = false, disabled = false }) => (
    <Base.Item onClick={onSelect} disabled={disabled} className={`${ITEM} ${danger ? 'text-danger' : ''}`}>
      {icon}
      {children}
    </Base.Item>
  ),
  check: ({ children, checked, onChange }) => (
    <Base.CheckboxItem checked={checked} onCheckedChange={onChange} closeOnClick={false} className={ITEM}>
      <span className="inline-flex size-4 items-center">{checked && <Check size={16} aria-hidden />}</span>
      {children}
    </Base.CheckboxItem>
  ),
  separator: () => <Base.Separator className="my-1 border-t border-line" />,
};
