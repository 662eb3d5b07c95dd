/** Every page. Each is loaded when it is first visited; the search parameters of a page are typed here. */
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { ApiError } from './api/errors';
import { parseAskSearch } from './approvals/asks';
import { parseBroadcastSearch, parseNewBroadcastSearch, parseTemplateSearch } from './broadcasts/search';
import { parseContactSearch } from './contacts/search';
import { parseBoardSearch } from './deals/search';
import { parseInboxSearch } from './inbox/search';
import { parseInquirySearch } from './inquiries/search';
import { parseRunSearch } from './runs/list';
import { sessionQuery } from './session/queries';
import { ErrorPage, NotFoundPage } from './shell/ErrorPage';
import { parseSpendSearch } from './spend/search';
import { Loading } from './ui/Spinner';

interface Context {
  queryClient: QueryClient;
}

const root = createRootRouteWithContext<Context>()({ component: Outlet, notFoundComponent: NotFoundPage });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search): { next?: string | undefined; ended?: boolean | undefined } => ({
    // Only a path of our own: a link must not lead elsewhere after sign-in.
    next: typeof search.next === 'string' && /^\/(?![/\\])/.test(search.next) ? search.next : undefined,
    ended: search.ended ? true : undefined,
  }),
  component: lazyRouteComponent(() => import('./session/SignInPage'), 'SignInPage'),
});
const password = createRoute({
  getParentRoute: () => root,
  path: '/password',
  component: lazyRouteComponent(() => import('./session/PasswordPage'), 'PasswordPage'),
});

const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  beforeLoad: async ({ context, location }) => {
    try {
      await context.queryClient.ensureQueryData(sessionQuery);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        throw redirect({ to: '/sign-in', search: location.pathname === '/' ? {} : { next: location.href } });
      }
      throw error;
    }
  },
  component: lazyRouteComponent(() => import('./shell/Shell'), 'Shell'),
});

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/inbox' });
  },
});

const inbox = createRoute({
  getParentRoute: () => shell,
  path: '/inbox',
  validateSearch: parseInboxSearch,
  component: lazyRouteComponent(() => import('./inbox/InboxPage'), 'InboxPage'),
});
const conversation = createRoute({
  getParentRoute: () => inbox,
  path: '$conversationId',
  loader: async ({ context, params }) => {
    const { readThread } = await import('./inbox/prefetch');
    await readThread(context.queryClient, params.conversationId);
  },
  component: lazyRouteComponent(() => import('./inbox/ConversationPage'), 'ConversationPage'),
});

const contacts = createRoute({
  getParentRoute: () => shell,
  path: '/contacts',
  validateSearch: parseContactSearch,
  component: lazyRouteComponent(() => import('./contacts/ContactsPage'), 'ContactsPage'),
});
const contact = createRoute({
  getParentRoute: () => shell,
  path: '/contacts/$contactId',
  component: lazyRouteComponent(() => import('./contacts/ContactPage'), 'ContactPage'),
});
const contactImport = createRoute({
  getParentRoute: () => shell,
  path: '/contacts/import',
  component: lazyRouteComponent(() => import('./contacts/import/ImportPage'), 'ImportPage'),
});
const segment = createRoute({
  getParentRoute: () => shell,
  path: '/segments/$segmentId',
  component: lazyRouteComponent(() => import('./contacts/segments/SegmentPage'), 'SegmentPage'),
});

const deals = createRoute({
  getParentRoute: () => shell,
  path: '/deals',
  validateSearch: parseBoardSearch,
  component: lazyRouteComponent(() => import('./deals/BoardPage'), 'BoardPage'),
});
const deal = createRoute({
  getParentRoute: () => shell,
  path: '/deals/$dealId',
  component: lazyRouteComponent(() => import('./deals/DealPage'), 'DealPage'),
});

const broadcasts = createRoute({
  getParentRoute: () => shell,
  path: '/broadcasts',
  validateSearch: parseBroadcastSearch,
  component: lazyRouteComponent(() => import('./broadcasts/BroadcastsPage'), 'BroadcastsPage'),
});
const newBroadcast = createRoute({
  getParentRoute: () => shell,
  path: '/broadcasts/new',
  validateSearch: parseNewBroadcastSearch,
  component: lazyRouteComponent(() => import('./broadcasts/wizard/WizardPage'), 'WizardPage'),
});
const broadcast = createRoute({
  getParentRoute: () => shell,
  path: '/broadcasts/$broadcastId',
  component: lazyRouteComponent(() => import('./broadcasts/BroadcastPage'), 'BroadcastPage'),
});
const templates = createRoute({
  getParentRoute: () => shell,
  path: '/templates',
  validateSearch: parseTemplateSearch,
  component: lazyRouteComponent(() => import('./broadcasts/TemplatesPage'), 'TemplatesPage'),
});

const inquiries = createRoute({
  getParentRoute: () => shell,
  path: '/inquiries',
  validateSearch: parseInquirySearch,
  component: lazyRouteComponent(() => import('./inquiries/InquiriesPage'), 'InquiriesPage'),
});
const inquiry = createRoute({
  getParentRoute: () => shell,
  path: '/inquiries/$inquiryId',
  component: lazyRouteComponent(() => import('./inquiries/InquiryPage'), 'InquiryPage'),
});
const bookings = createRoute({
  getParentRoute: () => shell,
  path: '/bookings',
  component: lazyRouteComponent(() => import('./bookings/BookingsPage'), 'BookingsPage'),
});
const assistants = createRoute({
  getParentRoute: () => shell,
  path: '/assistants',
  component: lazyRouteComponent(() => import('./assistants/AssistantsPage'), 'AssistantsPage'),
});
const assistant = createRoute({
  getParentRoute: () => shell,
  path: '/assistants/$assistantId',
  component: lazyRouteComponent(() => import('./assistants/AssistantPage'), 'AssistantPage'),
});
const approvals = createRoute({
  getParentRoute: () => shell,
  path: '/approvals',
  validateSearch: parseAskSearch,
  component: lazyRouteComponent(() => import('./approvals/ApprovalsPage'), 'ApprovalsPage'),
});
const runs = createRoute({
  getParentRoute: () => shell,
  path: '/runs',
  validateSearch: parseRunSearch,
  component: lazyRouteComponent(() => import('./runs/RunsPage'), 'RunsPage'),
});
const run = createRoute({
  getParentRoute: () => shell,
  path: '/runs/$runId',
  component: lazyRouteComponent(() => import('./runs/RunPage'), 'RunPage'),
});
const shortcuts = createRoute({
  getParentRoute: () => shell,
  path: '/shortcuts',
  component: lazyRouteComponent(() => import('./shell/ShortcutsPage'), 'ShortcutsPage'),
});

const triggers = createRoute({
  getParentRoute: () => shell,
  path: '/triggers',
  component: lazyRouteComponent(() => import('./triggers/TriggersPage'), 'TriggersPage'),
});
const trigger = createRoute({
  getParentRoute: () => shell,
  path: '/triggers/$triggerId',
  component: lazyRouteComponent(() => import('./triggers/TriggerPage'), 'TriggerPage'),
});

const spend = createRoute({
  getParentRoute: () => shell,
  path: '/spend',
  validateSearch: parseSpendSearch,
  component: lazyRouteComponent(() => import('./spend/SpendPage'), 'SpendPage'),
});

const developers = createRoute({
  getParentRoute: () => shell,
  path: '/developers',
  component: lazyRouteComponent(() => import('./developers/DevelopersLayout'), 'DevelopersLayout'),
});
const endpoints = createRoute({
  getParentRoute: () => developers,
  path: '/',
  component: lazyRouteComponent(() => import('./developers/EndpointsPage'), 'EndpointsPage'),
});
const endpoint = createRoute({
  getParentRoute: () => developers,
  path: 'webhooks/$endpointId',
  component: lazyRouteComponent(() => import('./developers/EndpointPage'), 'EndpointPage'),
});
const events = createRoute({
  getParentRoute: () => developers,
  path: 'events',
  component: lazyRouteComponent(() => import('./developers/EventsPage'), 'EventsPage'),
});
const keys = createRoute({
  getParentRoute: () => developers,
  path: 'keys',
  component: lazyRouteComponent(() => import('./developers/KeysPage'), 'KeysPage'),
});

const settings = createRoute({
  getParentRoute: () => shell,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings/SettingsLayout'), 'SettingsLayout'),
});
const settingsHome = createRoute({
  getParentRoute: () => settings,
  path: '/',
  component: lazyRouteComponent(() => import('./settings/ProfilePage'), 'ProfilePage'),
});
const preferences = createRoute({
  getParentRoute: () => settings,
  path: 'preferences',
  component: lazyRouteComponent(() => import('./settings/PreferencesPage'), 'PreferencesPage'),
});
const members = createRoute({
  getParentRoute: () => settings,
  path: 'members',
  component: lazyRouteComponent(() => import('./settings/MembersPage'), 'MembersPage'),
});
const oldKeys = createRoute({
  getParentRoute: () => settings,
  path: 'keys',
  beforeLoad: () => {
    throw redirect({ to: '/developers/keys' });
  },
});
const channels = createRoute({
  getParentRoute: () => settings,
  path: 'channels',
  component: lazyRouteComponent(() => import('./settings/ChannelsPage'), 'ChannelsPage'),
});
const tags = createRoute({
  getParentRoute: () => settings,
  path: 'tags',
  component: lazyRouteComponent(() => import('./settings/TagsPage'), 'TagsPage'),
});
const fields = createRoute({
  getParentRoute: () => settings,
  path: 'fields',
  component: lazyRouteComponent(() => import('./settings/FieldsPage'), 'FieldsPage'),
});
const pipelines = createRoute({
  getParentRoute: () => settings,
  path: 'pipelines',
  component: lazyRouteComponent(() => import('./settings/PipelinesPage'), 'PipelinesPage'),
});
const canned = createRoute({
  getParentRoute: () => settings,
  path: 'canned-replies',
  component: lazyRouteComponent(() => import('./settings/CannedRepliesPage'), 'CannedRepliesPage'),
});
const account = createRoute({
  getParentRoute: () => settings,
  path: 'account',
  component: lazyRouteComponent(() => import('./settings/AccountPage'), 'AccountPage'),
});
const audit = createRoute({
  getParentRoute: () => settings,
  path: 'audit-log',
  component: lazyRouteComponent(() => import('./settings/AuditLogPage'), 'AuditLogPage'),
});

const tree = root.addChildren([
  signIn,
  password,
  shell.addChildren([
    home,
    inbox.addChildren([conversation]),
    contacts,
    contactImport,
    contact,
    segment,
    deals,
    deal,
    broadcasts,
    newBroadcast,
    broadcast,
    templates,
    inquiries,
    inquiry,
    bookings,
    assistants,
    assistant,
    approvals,
    runs,
    run,
    shortcuts,
    triggers,
    trigger,
    spend,
    developers.addChildren([endpoints, endpoint, events, keys]),
    settings.addChildren([
      settingsHome,
      preferences,
      account,
      members,
      oldKeys,
      channels,
      tags,
      fields,
      pipelines,
      canned,
      audit,
    ]),
  ]),
]);

export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree: tree,
    basepath: '/app',
    context: { queryClient },
    defaultPreload: 'intent',
    defaultPendingComponent: Loading,
    defaultErrorComponent: ErrorPage,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
