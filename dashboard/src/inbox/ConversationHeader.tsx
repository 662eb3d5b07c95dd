import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import {
  ArrowLeft,
  Bot,
  Check,
  ChevronDown,
  Clock,
  Ellipsis,
  MailOpen,
  PanelRight,
  RotateCcw,
} from 'lucide-react';
import { type ButtonHTMLAttributes, useRef, useState } from 'react';
import type { InboxRow } from '@/api/app';
import { type Command, useCommands } from '@/commands/commands';
import { KEYS } from '@/commands/shortcuts';
import { contactName } from '@/contacts/names';
import { t, tDynamic } from '@/i18n';
import { mediumTime } from '@/i18n/time';
import { assistantsQuery, useAssistantName } from '@/session/assistants';
import { useActiveMembers, useMemberName } from '@/session/members';
import { useCan, useSession } from '@/session/session';
import { Button, IconButton } from '@/ui/Button';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '@/ui/Menu';
import { Badge } from '@/ui/Tag';
import type { ConversationActions } from './actions';
import { ChannelIcon } from './channel';
import { snoozeChoices } from './snooze';

interface HeaderProps {
  row: InboxRow;
  actions: ConversationActions;
  onBack: () => void;
  onMarkUnread: () => void;
  onToggleClosed: () => void;
  panelOpen: boolean;
  onPanel: (open: boolean) => void;
}

const ICON = { size: 18, 'aria-hidden': true } as const;
type OpenMenu = 'assign' | 'snooze' | 'handOver' | 'more' | null;

export function ConversationHeader(props: HeaderProps) {
  const { row, actions, onBack, onMarkUnread, onToggleClosed, panelOpen, onPanel } = props;
  const { conversation } = row;
  const { id } = conversation;
  const can = useCan();
  const me = useSession().user.id;
  const assistantName = useAssistantName();
  // Of this conversation: the header stays when another one is opened.
  const [opened, setOpened] = useState<{ id: string; menu: OpenMenu }>({ id, menu: null });
  const menu = opened.id === id ? opened.menu : null;
  const setMenu = (next: OpenMenu) => setOpened({ id, menu: next });
  const writable = can('conversations:write');
  const closed = conversation.status === 'closed';
  const heading = useRef<HTMLHeadingElement>(null);
  const toggleClosed = () => {
    // The button is the next conversation's now: a key that is held down must not close that one too.
    heading.current?.focus();
    onToggleClosed();
  };
  const command = (name: string, label: string, shortcut: string, run: () => void): Command => ({
    id: `conversation.${name}`,
    group: t('palette.conversation'),
    label,
    shortcut,
    run,
  });
  useCommands([
    command('panel', t('inbox.showContact'), KEYS.contactPanel, () => onPanel(!panelOpen)),
    ...(writable
      ? [
          command('assign', t('inbox.assign'), KEYS.assign, () => setMenu('assign')),
          command('assignMe', t('inbox.assignToMe'), KEYS.assignMe, () => void actions.assign(id, me)),
          {
            ...command('close', closed ? t('inbox.reopen') : t('inbox.close'), KEYS.close, onToggleClosed),
            once: true,
          },
          command('snooze', t('inbox.snooze'), KEYS.snooze, () => setMenu('snooze')),
          command('unread', t('inbox.markUnread'), KEYS.unread, onMarkUnread),
          command('handOver', t('inbox.handOver'), KEYS.handOver, () => setMenu('handOver')),
        ]
      : []),
  ]);
  const menuProps = (name: Exclude<OpenMenu, null>) => ({
    open: menu === name,
    onOpenChange: (open: boolean) => setMenu(open ? name : null),
  });
  return (
    <header className="@container border-b border-line bg-surface">
      <div className="flex items-center gap-1.5 px-3 py-2 max-sm:gap-0 max-sm:px-1">
        <IconButton
          label={t('inbox.back')}
          icon={<ArrowLeft {...ICON} className="rtl:rotate-180" />}
          onClick={onBack}
          className="lg:hidden"
        />
        <div className="min-w-0 flex-1">
          <h1 ref={heading} tabIndex={-1} className="truncate text-lg font-semibold outline-none">
            <Link
              to="/contacts/$contactId"
              params={{ contactId: row.contact.id }}
              className="hover:underline"
            >
              {contactName(row.contact)}
            </Link>
          </h1>
          <p className="flex items-center gap-1.5 text-sm text-ink-soft">
            <ChannelIcon channel={conversation.channel} />
            <span className="truncate @max-xl:hidden">{tDynamic('channel', conversation.channel)}</span>
            {writable && <AssignMenu row={row} actions={actions} {...menuProps('assign')} />}
            {conversation.status !== 'open' && (
              <Badge>{tDynamic('conversationStatus', conversation.status)}</Badge>
            )}
            {row.needs_person_since && <Badge tone="warning">{t('inbox.needsPerson')}</Badge>}
            {conversation.handler === 'assistant' && (
              <Badge tone="accent">
                <span className="max-w-40 truncate">
                  {t('inbox.withAssistant', { name: assistantName(conversation.assistant_id) })}
                </span>
              </Badge>
            )}
            {conversation.snoozed_until && (
              <Badge tone="warning">
                {t('inbox.snoozedUntil', { time: mediumTime(conversation.snoozed_until) })}
              </Badge>
            )}
          </p>
        </div>
        {writable && (
          <div className="flex items-center gap-1 max-sm:gap-0">
            <div className="flex items-center gap-1 @max-md:hidden">
              <HandOverMenu row={row} actions={actions} {...menuProps('handOver')} />
              <SnoozeMenu row={row} actions={actions} {...menuProps('snooze')} />
              <IconButton
                label={t('inbox.markUnread')}
                icon={<MailOpen {...ICON} />}
                onClick={onMarkUnread}
              />
            </div>
            <div className="@md:hidden">
              <MoreMenu row={row} actions={actions} onMarkUnread={onMarkUnread} {...menuProps('more')} />
            </div>
            <Button
              icon={closed ? <RotateCcw {...ICON} /> : <Check {...ICON} />}
              onClick={toggleClosed}
              title={closed ? t('inbox.reopen') : t('inbox.close')}
              className="@max-lg:px-2"
            >
              <span className="@max-lg:sr-only">{closed ? t('inbox.reopen') : t('inbox.close')}</span>
            </Button>
          </div>
        )}
        <IconButton
          label={t('inbox.showContact')}
          pressed={panelOpen}
          icon={<PanelRight {...ICON} className="rtl:-scale-x-100" />}
          onClick={() => onPanel(!panelOpen)}
        />
      </div>
    </header>
  );
}

interface WordButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  label: string;
  /** What is shown where there is room; elsewhere the icon alone. */
  words: string;
  pressed: boolean;
  icon: typeof Bot;
}

function WordButton({ label, words, pressed, icon: Icon, ...rest }: WordButtonProps) {
  return (
    <Button
      {...rest}
      kind="quiet"
      icon={<Icon {...ICON} />}
      aria-label={label}
      aria-pressed={pressed}
      title={label}
      className="aria-pressed:bg-active @max-3xl:px-2"
    >
      <span className="@max-3xl:hidden">{words}</span>
    </Button>
  );
}

interface ActionMenuProps {
  row: InboxRow;
  actions: ConversationActions;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

function AssignMenu({ row, actions, ...menu }: ActionMenuProps) {
  const members = useActiveMembers();
  const memberName = useMemberName();
  const { id, assigned_user_id: assignee } = row.conversation;
  return (
    <Menu
      {...menu}
      align="start"
      trigger={
        <button
          type="button"
          className="inline-flex min-w-0 items-center gap-0.5 rounded-md px-1 py-0.5 hover:bg-sunken hover:text-ink"
          aria-label={t('inbox.assignedTo', { name: memberName(assignee) })}
          title={t('inbox.assign')}
        >
          <span className="truncate">{t('inbox.assignee', { name: memberName(assignee) })}</span>
          <ChevronDown size={14} aria-hidden className="shrink-0" />
        </button>
      }
    >
      <MenuItem onSelect={() => void actions.assign(id, null)} disabled={assignee === null}>
        {t('member.nobody')}
      </MenuItem>
      <MenuSeparator />
      {members.map((member) => (
        <MenuItem
          key={member.id}
          onSelect={() => void actions.assign(id, member.id)}
          disabled={member.id === assignee}
        >
          {member.name}
        </MenuItem>
      ))}
    </Menu>
  );
}

function HandOverMenu({ row, actions, ...menu }: ActionMenuProps) {
  const handled = row.conversation.handler === 'assistant';
  return (
    <Menu
      {...menu}
      trigger={
        <WordButton
          label={t('inbox.handOver')}
          words={t('inbox.handOverShort')}
          pressed={handled}
          icon={Bot}
        />
      }
    >
      <HandOverItems row={row} actions={actions} />
    </Menu>
  );
}

type ItemsProps = Pick<ActionMenuProps, 'row' | 'actions'>;

function HandOverItems({ row, actions }: ItemsProps) {
  const can = useCan();
  const me = useSession().user.id;
  const assistants =
    useQuery({ ...assistantsQuery, enabled: can('assistants:read') }).data?.filter((each) => each.enabled) ??
    [];
  const { id, handler } = row.conversation;
  const handled = handler === 'assistant';
  return (
    <>
      {handled && (
        <MenuItem onSelect={() => void actions.handOver(id, { to: 'human', user_id: me })}>
          {t('inbox.takeBack')}
        </MenuItem>
      )}
      <MenuLabel>{t('inbox.handOverTo')}</MenuLabel>
      {assistants.length === 0 && <p className="px-2.5 py-1.5 text-ink-soft">{t('inbox.noAssistants')}</p>}
      {assistants.map((assistant) => (
        <MenuItem
          key={assistant.id}
          disabled={handled && row.conversation.assistant_id === assistant.id}
          onSelect={() => void actions.handOver(id, { to: 'assistant', assistant_id: assistant.id })}
        >
          {assistant.name}
        </MenuItem>
      ))}
    </>
  );
}

function SnoozeMenu({ row, actions, ...menu }: ActionMenuProps) {
  const until = row.conversation.snoozed_until;
  return (
    <Menu
      {...menu}
      trigger={
        <WordButton
          label={t('inbox.snooze')}
          words={t('inbox.snooze')}
          pressed={Boolean(until)}
          icon={Clock}
        />
      }
    >
      {menu.open && <SnoozeItems row={row} actions={actions} />}
    </Menu>
  );
}

function SnoozeItems({ row, actions }: ItemsProps) {
  const { id, snoozed_until: until } = row.conversation;
  return (
    <>
      {until && <MenuItem onSelect={() => void actions.snooze(id, null)}>{t('inbox.endSnooze')}</MenuItem>}
      {snoozeChoices(new Date()).map(({ choice, until: moment }) => (
        <MenuItem key={choice} onSelect={() => void actions.snooze(id, moment)}>
          <span className="flex-1 whitespace-nowrap">{tDynamic('snooze', choice)}</span>
          <span className="ms-4 text-sm whitespace-nowrap text-ink-soft">
            {mediumTime(moment.toISOString())}
          </span>
        </MenuItem>
      ))}
    </>
  );
}

/** The actions that a narrow header has no room for. */
function MoreMenu({ row, actions, onMarkUnread, ...menu }: ActionMenuProps & { onMarkUnread: () => void }) {
  return (
    <Menu {...menu} trigger={<IconButton label={t('ui.more')} icon={<Ellipsis {...ICON} />} />}>
      {menu.open && (
        <>
          <MenuItem onSelect={onMarkUnread}>{t('inbox.markUnread')}</MenuItem>
          <MenuSeparator />
          <MenuLabel>{t('inbox.snooze')}</MenuLabel>
          <SnoozeItems row={row} actions={actions} />
          <MenuSeparator />
          <HandOverItems row={row} actions={actions} />
        </>
      )}
    </Menu>
  );
}
