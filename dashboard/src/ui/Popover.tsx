import { Popover as Base } from '@base-ui/react/popover';
import { type ReactElement, type ReactNode, useRef } from 'react';
import { useReturnFocus } from './opener';

interface PopoverProps {
  trigger: ReactElement<Record<string, unknown>>;
  label: string;
  children: ReactNode;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  side?: 'top' | 'bottom';
}

export function Popover({ trigger, label, children, open, onOpenChange, side = 'bottom' }: PopoverProps) {
  const button = useRef<HTMLButtonElement>(null);
  const { popup, finalFocus } = useReturnFocus(open, button);
  return (
    <Base.Root open={open} onOpenChange={(next) => onOpenChange(next)}>
      <Base.Trigger ref={button} render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} side={side} align="start" className="z-50">
          <Base.Popup
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
