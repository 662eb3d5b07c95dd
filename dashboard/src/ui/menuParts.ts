import { createContext, type ReactNode } from 'react';

export interface ItemProps {
  children: ReactNode;
  onSelect: () => void;
  icon?: ReactNode;
  danger?: boolean;
  disabled?: boolean;
}

export interface CheckProps {
  children: ReactNode;
  checked: boolean;
  onChange: () => void;
}

/** What a menu is made of: known only to the popup, which provides it to its children. */
export interface MenuParts {
  item: (props: ItemProps) => ReactNode;
  check: (props: CheckProps) => ReactNode;
  separator: () => ReactNode;
}
export const MenuPartsContext = createContext<MenuParts | null>(null);
