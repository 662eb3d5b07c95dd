import { Menu as Base } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import { type ReactElement, type ReactNode, useRef, useState } from 'react';
import { useReturnFocus } from './opener';

interface MenuProps {
  /** The button that opens the menu. */
  trigger: ReactElement<Record<string, unknown>>;
  children: ReactNode;
  align?: 'start' | 'end';
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
}

export function Menu({ trigger, children, align = 'end', open, onOpenChange }: MenuProps) {
  const [own, setOwn] = useState(false);
  const shown = open ?? own;
  const button = useRef<HTMLButtonElement>(null);
  const { popup, finalFocus } = useReturnFocus(shown, button);
  const change = (next: boolean) => {
    setOwn(next);
    onOpenChange?.(next);
  };
  return (
    <Base.Root open={shown} onOpenChange={change}>
      <Base.Trigger ref={button} render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align={align} className="z-50">
          <Base.Popup
            ref={popup}
            finalFocus={finalFocus}
            className="popup max-h-[70dvh] max-w-[min(24rem,calc(100vw-1rem))] min-w-44 overflow-y-auto p-1"
          >
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

const ITEM =
  'flex min-h-9 w-full cursor-pointer items-center gap-2 rounded-md px-2.5 py-1.5 outline-none select-none data-highlighted:bg-sunken data-disabled:cursor-not-allowed data-disabled:opacity-50';

interface ItemProps {
  children: ReactNode;
  onSelect: () => void;
  icon?: ReactNode;
  danger?: boolean;
  disabled?: boolean;
}

export function MenuItem({ children, onSelect, icon, danger = false, disabled = false }: ItemProps) {
  return (
    <Base.Item onClick={onSelect} disabled={disabled} className={`${ITEM} ${danger ? 'text-danger' : ''}`}>
      {icon}
      {children}
    </Base.Item>
  );
}

export function MenuCheck({
  children,
  checked,
  onChange,
}: {
  children: ReactNode;
  checked: boolean;
  onChange: () => void;
}) {
  return (
    <Base.CheckboxItem checked={checked} onCheckedChange={onChange} closeOnClick={false} className={ITEM}>
      <span className="inline-flex size-4 items-center">{checked && <Check size={16} aria-hidden />}</span>
      {children}
    </Base.CheckboxItem>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return (
    <div className="px-2.5 pt-2 pb-1 text-xs font-semibold text-ink-soft uppercase" role="presentation">
      {children}
    </div>
  );
}

export function MenuSeparator() {
  return <Base.Separator className="my-1 border-t border-line" />;
}
