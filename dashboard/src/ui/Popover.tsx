import { Popover as Base } from '@base-ui/react/popover';
import type { ReactElement, ReactNode } from 'react';

interface PopoverProps {
  trigger: ReactElement<Record<string, unknown>>;
  label: string;
  children: ReactNode;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  side?: 'top' | 'bottom';
}

export function Popover({ trigger, label, children, open, onOpenChange, side = 'bottom' }: PopoverProps) {
  return (
    <Base.Root open={open} onOpenChange={(next) => onOpenChange(next)}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} side={side} align="start" className="z-50">
          <Base.Popup
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
