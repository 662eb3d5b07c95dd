import { lazy, type ReactNode, Suspense, useContext, useState } from 'react';
import { type CheckProps, type ItemProps, MenuPartsContext } from './menuParts';
import { type TriggerElement, usePopupTrigger } from './usePopupTrigger';

const load = () => import('./MenuPopup');
const MenuPopup = lazy(async () => ({ default: (await load()).MenuPopup }));

interface MenuProps {
  /** The button that opens the menu. */
  trigger: TriggerElement;
  children: ReactNode;
  align?: 'start' | 'end';
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
}

export function Menu({ trigger, children, align = 'end', open, onOpenChange }: MenuProps) {
  const [own, setOwn] = useState(false);
  const { button, popup } = usePopupTrigger({
    kind: 'menu',
    trigger,
    open: open ?? own,
    onOpenChange: (next) => {
      setOwn(next);
      onOpenChange?.(next);
    },
    load,
  });
  return (
    <>
      {button}
      {popup && (
        <Suspense fallback={null}>
          <MenuPopup {...popup} align={align}>
            {children}
          </MenuPopup>
        </Suspense>
      )}
    </>
  );
}

export const MenuItem = (props: ItemProps) => useContext(MenuPartsContext)?.item(props);
export const MenuCheck = (props: CheckProps) => useContext(MenuPartsContext)?.check(props);
export const MenuSeparator = () => useContext(MenuPartsContext)?.separator();

export function MenuLabel({ children }: { children: ReactNode }) {
  return (
    <div className="px-2.5 pt-2 pb-1 text-xs font-semibold text-ink-soft uppercase" role="presentation">
      {children}
    </div>
  );
}
