import { lazy, type ReactNode, Suspense } from 'react';
import { type TriggerElement, usePopupTrigger } from './usePopupTrigger';

const load = () => import('./PopoverPopup');
const PopoverPopup = lazy(async () => ({ default: (await load()).PopoverPopup }));

interface PopoverProps {
  trigger: TriggerElement;
  label: string;
  children: ReactNode;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  side?: 'top' | 'bottom';
}

export function Popover({ trigger, label, children, open, onOpenChange, side = 'bottom' }: PopoverProps) {
  const { button, popup } = usePopupTrigger({ kind: 'dialog', trigger, open, onOpenChange, load });
  return (
    <>
      {button}
      {popup && (
        <Suspense fallback={null}>
          <PopoverPopup {...popup} label={label} side={side}>
            {children}
          </PopoverPopup>
        </Suspense>
      )}
    </>
  );
}
