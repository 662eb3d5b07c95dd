import { draggable } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { Link } from '@tanstack/react-router';
import { ArrowLeftRight } from 'lucide-react';
import { type KeyboardEvent, memo, useEffect, useRef, useState } from 'react';
import type { Deal, Stage } from '@/api/schema';
import type { ContactSummary } from '@/api/shapes';
import { t } from '@/i18n';
import { calendarDate, money } from '@/i18n/time';
import { contactName } from '@/inbox/names';
import { useMemberName } from '@/session/members';
import { matches } from '@/shell/keys';
import { KEYS } from '@/shell/shortcuts';
import { Avatar } from '@/ui/Avatar';
import { IconButton } from '@/ui/Button';
import { Menu, MenuItem, MenuLabel } from '@/ui/Menu';
import { neighbour } from './board';

export const CARD_PX = 116;

interface CardProps {
  deal: Deal;
  contact: ContactSummary | undefined;
  stages: Stage[];
  /** Absent when the member may only read. */
  onMove: ((stage: Stage) => void) | undefined;
}

/** A deal on the board: dragged by mouse or touch, moved by keyboard with Alt and the arrows or by its menu. */
export const DealCard = memo(function DealCard({ deal, contact, stages, onMove }: CardProps) {
  const element = useRef<HTMLElement>(null);
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

  const onKeyDown = (event: KeyboardEvent) => {
    if (!onMove) return;
    const forward = document.documentElement.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
    const backward = forward === 'ArrowRight' ? 'ArrowLeft' : 'ArrowRight';
    const step = event.altKey ? (event.key === forward ? 1 : event.key === backward ? -1 : 0) : 0;
    if (step !== 0) {
      event.preventDefault();
      const target = neighbour(stages, deal.stage_id, step as 1 | -1);
      if (target) onMove(target);
    } else if (matches(KEYS.moveDeal, event)) {
      event.preventDefault();
      setMenu(true);
    }
  };
  return (
    <article
      ref={element}
      onKeyDown={onKeyDown}
      className={`group relative flex h-full flex-col rounded-lg border border-line bg-surface p-2.5 ${movable ? 'cursor-grab' : ''} ${dragging ? 'opacity-50' : ''}`}
    >
      <div className="flex items-start gap-1">
        <Link
          to="/deals/$dealId"
          params={{ dealId: deal.id }}
          draggable={false}
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
                label={t('deals.moveNamed', { title: deal.title })}
                icon={<ArrowLeftRight size={16} aria-hidden />}
                className="-me-1.5 -mt-1.5"
              />
            }
          >
            <MenuLabel>{t('deals.moveTo')}</MenuLabel>
            {stages.map((stage) => (
              <MenuItem key={stage.id} disabled={stage.id === deal.stage_id} onSelect={() => onMove(stage)}>
                {stage.name}
              </MenuItem>
            ))}
          </Menu>
        )}
      </div>
      <p className="truncate text-sm text-ink-soft">{contact && contactName(contact)}</p>
      <div className="mt-auto flex items-center gap-2 text-sm">
        <span className="min-w-0 flex-1 truncate font-medium">
          {deal.value !== null && money(deal.value, deal.currency)}
        </span>
        {deal.expected_close_date && (
          <span className="text-ink-soft">{calendarDate(deal.expected_close_date)}</span>
        )}
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
