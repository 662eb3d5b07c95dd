/** The pages of the main menu, in their order. Shortcuts and the palette lead to the same pages. */
import type { LinkProps } from '@tanstack/react-router';
import {
  Activity,
  AlarmClock,
  Bot,
  CalendarDays,
  CircleCheckBig,
  CircleDollarSign,
  CodeXml,
  Handshake,
  Inbox,
  ListChecks,
  ListTodo,
  type LucideIcon,
  Megaphone,
  Settings,
  Users,
} from 'lucide-react';
import { KEYS } from '@/commands/shortcuts';
import type { MessageKey } from '@/i18n';

export type PlaceGroup = 'customers' | 'assistants' | 'setup';
type PlainKey = Extract<MessageKey, `nav.${string}`>;

export interface Place {
  to: NonNullable<LinkProps['to']>;
  label: PlainKey;
  icon: LucideIcon;
  group: PlaceGroup;
  shortcut: string;
  /** The role must allow this scope. */
  scope?: string;
  /** What the number beside it counts, if it has one. */
  badgeLabel?: PlainKey;
  /** It has a button of its own on a phone. The others are under "More". */
  isOnPhoneBar?: true;
}

export const PLACE_GROUPS = {
  customers: 'nav.customers',
  assistants: 'nav.automation',
  setup: 'nav.setup',
} as const satisfies Record<PlaceGroup, MessageKey>;

export const PLACES: readonly Place[] = [
  {
    to: '/first-steps',
    label: 'nav.firstSteps',
    icon: ListChecks,
    group: 'customers',
    shortcut: KEYS.goFirstSteps,
  },
  {
    to: '/inbox',
    label: 'nav.inbox',
    icon: Inbox,
    group: 'customers',
    shortcut: KEYS.goInbox,
    badgeLabel: 'nav.unread',
    isOnPhoneBar: true,
  },
  {
    to: '/contacts',
    label: 'nav.contacts',
    icon: Users,
    group: 'customers',
    shortcut: KEYS.goContacts,
    isOnPhoneBar: true,
  },
  {
    to: '/deals',
    label: 'nav.deals',
    icon: Handshake,
    group: 'customers',
    shortcut: KEYS.goDeals,
    isOnPhoneBar: true,
  },
  {
    to: '/broadcasts',
    label: 'nav.broadcasts',
    icon: Megaphone,
    group: 'customers',
    shortcut: KEYS.goBroadcasts,
    scope: 'broadcasts:read',
  },
  {
    to: '/inquiries',
    label: 'nav.inquiries',
    icon: ListTodo,
    group: 'customers',
    shortcut: KEYS.goInquiries,
  },
  {
    to: '/bookings',
    label: 'nav.bookings',
    icon: CalendarDays,
    group: 'customers',
    shortcut: KEYS.goBookings,
  },
  {
    to: '/assistants',
    label: 'nav.assistants',
    icon: Bot,
    group: 'assistants',
    shortcut: KEYS.goAssistants,
    scope: 'assistants:read',
  },
  {
    to: '/approvals',
    label: 'nav.approvals',
    icon: CircleCheckBig,
    group: 'assistants',
    shortcut: KEYS.goApprovals,
    scope: 'asks:read',
    badgeLabel: 'nav.waiting',
  },
  {
    to: '/runs',
    label: 'nav.runs',
    icon: Activity,
    group: 'assistants',
    shortcut: KEYS.goRuns,
    scope: 'runs:read',
  },
  {
    to: '/triggers',
    label: 'nav.triggers',
    icon: AlarmClock,
    group: 'assistants',
    shortcut: KEYS.goTriggers,
    scope: 'assistants:read',
  },
  {
    to: '/spend',
    label: 'nav.spend',
    icon: CircleDollarSign,
    group: 'assistants',
    shortcut: KEYS.goSpend,
    scope: 'ai:usage',
  },
  {
    to: '/developers',
    label: 'nav.developers',
    icon: CodeXml,
    group: 'setup',
    shortcut: KEYS.goDevelopers,
    scope: 'webhooks:manage',
  },
  { to: '/settings', label: 'nav.settings', icon: Settings, group: 'setup', shortcut: KEYS.goSettings },
];
