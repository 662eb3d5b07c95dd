import { Popover as Base } from '@base-ui/react/popover';
import type { ReactNode } from 'react';
import { useReturnFocus } from './opener';
import type { PopupProps } from './usePopupTrigger';

interface PopoverPopupProps extends PopupProps {
  label: string;
  side: 'top' | 'bottom';
  children: ReactNode;
}

export function PopoverPopup(props: PopoverPopupProps) {
  const { id, button, open, onOpenChange, label, side, children } = props;
  const { popup, finalFocus } = useReturnFocus(open, button);
  return (
    <Base.Root open={open} onOpenChange={(next, { event }) => onOpenChange(next, event)}>
      <Base.Portal>
        <Base.Positioner anchor={button} sideOffset={4} side={side} align="start" className="z-50">
          <Base.Popup
            id={id}
            ref={popup}
            finalFocus={finalFocus}
            aria-label={label}
            className="popup max-h-[70dvh] w-[min(22rem,calc(100vw-1.5rem))] overflow-y-auto p-2"
          >
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
