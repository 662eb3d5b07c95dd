import { draggable } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { Link } from '@tanstack/react-router';
import { ArrowLeftRight, CircleAlert } from 'lucide-react';
import { type KeyboardEvent, memo, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Deal } from '@/api/schema';
import type { ContactSummary } from '@/api/shapes';
import { matches } from '@/commands/keys';
import { KEYS } from '@/commands/shortcuts';
import { contactName } from '@/contacts/names';
import { t } from '@/i18n';
import { money } from '@/i18n/time';
import { useMemberName } from '@/session/members';
import { Avatar } from '@/ui/Avatar';
import { IconButton } from '@/ui/Button';
import { Menu, MenuItem, MenuLabel } from '@/ui/Menu';
import { onRowKeyDown } from '@/ui/rows';
import { type BoardColumn, columnOf, neighbour } from './board';
import { CloseDate } from './CloseDate';

export const CARD_PX = 116;

interface CardProps {
  deal: Deal;
  contact: ContactSummary | undefined;
  columns: BoardColumn[];
  /** In the account's timezone. */
  today: string;
  /** The pipeline's. */
  currency: string | undefined;
  /** Absent when the member may only read. */
  onMove: ((deal: Deal, column: BoardColumn) => void) | undefined;
  /** It had the focus in another column. */
  isArriving: boolean;
  onArrived: () => void;
  /** It goes away with the focus. */
  onLeave: (dealId: string) => void;
}

/** A deal on the board: dragged by mouse or touch, moved by keyboard with Alt and the arrows or by its menu. */
export const DealCard = memo(function DealCard(props: CardProps) {
  const { deal, contact, columns, today, currency, onMove, isArriving, onArrived, onLeave } = props;
  const element = useRef<HTMLElement>(null);
  const title = useRef<HTMLAnchorElement>(null);
  const memberName = useMemberName();
  const [dragging, setDragging] = useState(false);
  const [menu, setMenu] = useState(false);
  const movable = onMove !== undefined;

  useEffect(() => {
    if (!element.current || !movable) return;
    return draggable({
      element: element.current,
      getInitialData: () => ({ kind: 'deal', deal }),
      onDragStart: () => setDragging(true),
      onDrop: () => setDragging(false),
    });
  }, [deal, movable]);

  useEffect(() => {
    if (!isArriving) return;
    // After the menu by which it was moved has given back the focus.
    const timer = setTimeout(() => {
      title.current?.focus();
      onArrived();
    }, 0);
    return () => clearTimeout(timer);
  }, [isArriving, onArrived]);
  const { id } = deal;
  useLayoutEffect(() => {
    const card = element.current;
    return () => {
      if (card?.contains(document.activeElement)) onLeave(id);
    };
  }, [id, onLeave]);

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    onRowKeyDown(event);
    if (!onMove) return;
    const forward = document.documentElement.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
    const backward = forward === 'ArrowRight' ? 'ArrowLeft' : 'ArrowRight';
    const step = event.altKey ? (event.key === forward ? 1 : event.key === backward ? -1 : 0) : 0;
    if (step !== 0 && deal.status === 'open') {
      event.preventDefault();
      const stages = columns.filter((column) => !column.outcome);
      const target = neighbour(stages, deal.stage_id, step as 1 | -1);
      if (target) onMove(deal, target);
    } else if (matches(KEYS.moveDeal, event)) {
      event.preventDefault();
      setMenu(true);
    }
  };
  return (
    <article
      ref={element}
      data-row
      onKeyDown={onKeyDown}
      className={`group relative flex h-full flex-col rounded-lg border border-line bg-surface p-2.5 ${movable ? 'cursor-grab' : ''} ${dragging ? 'opacity-50' : ''}`}
    >
      <div className="flex items-start gap-1">
        <Link
          ref={title}
          to="/deals/$dealId"
          params={{ dealId: deal.id }}
          draggable={false}
          aria-keyshortcuts={onMove && KEYS.moveDeal}
          className="line-clamp-2 min-w-0 flex-1 font-medium hover:underline"
        >
          {deal.title}
        </Link>
        {onMove && (
          <Menu
            open={menu}
            onOpenChange={setMenu}
            trigger={
              <IconButton
                tabIndex={-1}
                label={t('deals.moveNamed', { title: deal.title })}
                icon={<ArrowLeftRight size={16} aria-hidden />}
                className="-me-1.5 -mt-1.5"
              />
            }
          >
            <MenuLabel>{t('deals.moveTo')}</MenuLabel>
            {columns.map((column) => (
              <MenuItem
                key={column.id}
                disabled={column.id === columnOf(deal)}
                onSelect={() => onMove(deal, column)}
              >
                {column.name}
              </MenuItem>
            ))}
          </Menu>
        )}
      </div>
      <p className="truncate text-sm text-ink-soft">{contact && contactName(contact)}</p>
      <div className="mt-auto flex items-center gap-2 text-sm">
        <span className="min-w-0 flex-1 truncate font-medium">
          {deal.value !== null && money(deal.value, deal.currency)}
          {deal.value !== null && currency !== undefined && deal.currency !== currency && (
            <CircleAlert
              size={14}
              role="img"
              aria-label={t('deals.otherCurrency', { currency })}
              className="ms-1 inline text-warning"
            />
          )}
        </span>
        <CloseDate deal={deal} today={today} />
        {deal.owner_user_id && (
          <span title={memberName(deal.owner_user_id)}>
            <Avatar name={memberName(deal.owner_user_id)} size={22} />
            <span className="sr-only">{memberName(deal.owner_user_id)}</span>
          </span>
        )}
      </div>
    </article>
  );
});
