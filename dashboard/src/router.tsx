/** Every page. Each is loaded with its texts when it is first visited; the search parameters of a page are typed here. */
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
import { type Feature, withTexts } from './i18n';
import { parseInboxSearch } from './inbox/search';
import { parseInquirySearch } from './inquiries/search';
import { parseRunSearch } from './runs/list';
import { holdReturn, RETURN_PATH } from './session/provider';
import { sessionQuery } from './session/queries';
import { parseConnectSearch } from './settings/channels/search';
import { ErrorPage, NotFoundPage } from './shell/ErrorPage';
import { parseSpendSearch } from './spend/search';
import { Loading } from './ui/Spinner';

interface Context {
  queryClient: QueryClient;
}

/** A page, the name of its component, and the features whose texts it shows. */
function page<T extends Record<string, unknown>, K extends keyof T>(
  load: () => Promise<T>,
  name: K,
  ...texts: Feature[]
) {
  return lazyRouteComponent(() => withTexts(load, ...texts), name);
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
  component: page(() => import('./session/SignInPage'), 'SignInPage'),
});
const provider = createRoute({
  getParentRoute: () => root,
  path: RETURN_PATH,
  component: page(() => import('./session/ProviderPage'), 'ProviderPage'),
});
const password = createRoute({
  getParentRoute: () => root,
  path: '/password',
  component: page(() => import('./session/PasswordPage'), 'PasswordPage'),
});

const lostPassword = createRoute({
  getParentRoute: () => root,
  path: '/lost-password',
  component: page(() => import('./session/LostPasswordPage'), 'LostPasswordPage'),
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
  component: page(() => import('./shell/Shell'), 'Shell'),
});

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  beforeLoad: async ({ context }) => {
    const { isGuideDue } = await import('./firstSteps/due');
    throw redirect({ to: (await isGuideDue(context.queryClient)) ? '/first-steps' : '/inbox' });
  },
});
const firstSteps = createRoute({
  getParentRoute: () => shell,
  path: '/first-steps',
  component: page(() => import('./firstSteps/FirstStepsPage'), 'FirstStepsPage', 'settings', 'setup'),
});

const inbox = createRoute({
  getParentRoute: () => shell,
  path: '/inbox',
  validateSearch: parseInboxSearch,
  component: page(() => import('./inbox/InboxPage'), 'InboxPage'),
});
const conversation = createRoute({
  getParentRoute: () => inbox,
  path: '$conversationId',
  loader: async ({ context, params }) => {
    const { readThread } = await import('./inbox/prefetch');
    await readThread(context.queryClient, params.conversationId);
  },
  component: page(() => import('./inbox/ConversationPage'), 'ConversationPage'),
});

const contacts = createRoute({
  getParentRoute: () => shell,
  path: '/contacts',
  validateSearch: parseContactSearch,
  component: page(() => import('./contacts/ContactsPage'), 'ContactsPage', 'contacts', 'settings'),
});
const contact = createRoute({
  getParentRoute: () => shell,
  path: '/contacts/$contactId',
  component: page(() => import('./contacts/ContactPage'), 'ContactPage', 'contacts', 'deals', 'runs'),
});
const contactImport = createRoute({
  getParentRoute: () => shell,
  path: '/contacts/import',
  component: page(() => import('./contacts/import/ImportPage'), 'ImportPage', 'contacts', 'settings'),
});
const segment = createRoute({
  getParentRoute: () => shell,
  path: '/segments/$segmentId',
  component: page(() => import('./contacts/segments/SegmentPage'), 'SegmentPage', 'contacts'),
});

const deals = createRoute({
  getParentRoute: () => shell,
  path: '/deals',
  validateSearch: parseBoardSearch,
  component: page(() => import('./deals/BoardPage'), 'BoardPage', 'contacts', 'deals', 'settings'),
});
const deal = createRoute({
  getParentRoute: () => shell,
  path: '/deals/$dealId',
  component: page(() => import('./deals/DealPage'), 'DealPage', 'contacts', 'deals', 'runs'),
});

const broadcasts = createRoute({
  getParentRoute: () => shell,
  path: '/broadcasts',
  validateSearch: parseBroadcastSearch,
  component: page(() => import('./broadcasts/BroadcastsPage'), 'BroadcastsPage', 'broadcasts'),
});
const newBroadcast = createRoute({
  getParentRoute: () => shell,
  path: '/broadcasts/new',
  validateSearch: parseNewBroadcastSearch,
  component: page(
    () => import('./broadcasts/wizard/WizardPage'),
    'WizardPage',
    'broadcasts',
    'contacts',
    'templates',
  ),
});
const broadcast = createRoute({
  getParentRoute: () => shell,
  path: '/broadcasts/$broadcastId',
  component: page(() => import('./broadcasts/BroadcastPage'), 'BroadcastPage', 'broadcasts', 'templates'),
});
const templates = createRoute({
  getParentRoute: () => shell,
  path: '/templates',
  validateSearch: parseTemplateSearch,
  component: page(
    () => import('./broadcasts/TemplatesPage'),
    'TemplatesPage',
    'broadcasts',
    'settings',
    'templates',
  ),
});

const inquiries = createRoute({
  getParentRoute: () => shell,
  path: '/inquiries',
  validateSearch: parseInquirySearch,
  component: page(() => import('./inquiries/InquiriesPage'), 'InquiriesPage', 'deals', 'setup'),
});
const inquiry = createRoute({
  getParentRoute: () => shell,
  path: '/inquiries/$inquiryId',
  component: page(() => import('./inquiries/InquiryPage'), 'InquiryPage', 'contacts', 'deals'),
});
const bookings = createRoute({
  getParentRoute: () => shell,
  path: '/bookings',
  component: page(() => import('./bookings/BookingsPage'), 'BookingsPage', 'contacts', 'deals', 'setup'),
});
const assistants = createRoute({
  getParentRoute: () => shell,
  path: '/assistants',
  component: page(() => import('./assistants/AssistantsPage'), 'AssistantsPage', 'assistants'),
});
const assistant = createRoute({
  getParentRoute: () => shell,
  path: '/assistants/$assistantId',
  component: page(() => import('./assistants/AssistantPage'), 'AssistantPage', 'assistants', 'runs', 'tools'),
});
const approvals = createRoute({
  getParentRoute: () => shell,
  path: '/approvals',
  validateSearch: parseAskSearch,
  component: page(() => import('./approvals/ApprovalsPage'), 'ApprovalsPage', 'approvals', 'tools'),
});
const runs = createRoute({
  getParentRoute: () => shell,
  path: '/runs',
  validateSearch: parseRunSearch,
  component: page(() => import('./runs/RunsPage'), 'RunsPage', 'runs'),
});
const run = createRoute({
  getParentRoute: () => shell,
  path: '/runs/$runId',
  component: page(() => import('./runs/RunPage'), 'RunPage', 'approvals', 'runs', 'tools'),
});
const shortcuts = createRoute({
  getParentRoute: () => shell,
  path: '/shortcuts',
  component: page(() => import('./shell/ShortcutsPage'), 'ShortcutsPage', 'approvals', 'assistants', 'deals'),
});

const triggers = createRoute({
  getParentRoute: () => shell,
  path: '/triggers',
  component: page(() => import('./triggers/TriggersPage'), 'TriggersPage', 'triggers'),
});
const trigger = createRoute({
  getParentRoute: () => shell,
  path: '/triggers/$triggerId',
  component: page(() => import('./triggers/TriggerPage'), 'TriggerPage', 'contacts', 'runs', 'triggers'),
});

const spend = createRoute({
  getParentRoute: () => shell,
  path: '/spend',
  validateSearch: parseSpendSearch,
  component: page(() => import('./spend/SpendPage'), 'SpendPage', 'spend'),
});

const developers = createRoute({
  getParentRoute: () => shell,
  path: '/developers',
  component: page(() => import('./developers/DevelopersLayout'), 'DevelopersLayout', 'developers'),
});
const endpoints = createRoute({
  getParentRoute: () => developers,
  path: '/',
  component: page(() => import('./developers/EndpointsPage'), 'EndpointsPage', 'developers'),
});
const endpoint = createRoute({
  getParentRoute: () => developers,
  path: 'webhooks/$endpointId',
  component: page(() => import('./developers/EndpointPage'), 'EndpointPage', 'developers'),
});
const events = createRoute({
  getParentRoute: () => developers,
  path: 'events',
  component: page(() => import('./developers/EventsPage'), 'EventsPage', 'developers'),
});
const keys = createRoute({
  getParentRoute: () => developers,
  path: 'keys',
  component: page(() => import('./developers/KeysPage'), 'KeysPage', 'developers'),
});

const settings = createRoute({
  getParentRoute: () => shell,
  path: '/settings',
  component: page(() => import('./settings/SettingsLayout'), 'SettingsLayout', 'settings'),
});
const settingsHome = createRoute({
  getParentRoute: () => settings,
  path: '/',
  component: page(() => import('./settings/ProfilePage'), 'ProfilePage', 'settings'),
});
const preferences = createRoute({
  getParentRoute: () => settings,
  path: 'preferences',
  component: page(() => import('./settings/PreferencesPage'), 'PreferencesPage', 'settings'),
});
const members = createRoute({
  getParentRoute: () => settings,
  path: 'members',
  component: page(() => import('./settings/MembersPage'), 'MembersPage', 'settings'),
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
  component: page(() => import('./settings/ChannelsPage'), 'ChannelsPage', 'settings'),
});
const newChannel = createRoute({
  getParentRoute: () => settings,
  path: 'channels/new',
  validateSearch: parseConnectSearch,
  component: page(() => import('./settings/channels/ConnectPage'), 'ConnectPage', 'settings', 'setup'),
});
const channel = createRoute({
  getParentRoute: () => settings,
  path: 'channels/$connectionId',
  component: page(() => import('./settings/channels/ConnectionPage'), 'ConnectionPage', 'settings', 'setup'),
});
const forms = createRoute({
  getParentRoute: () => settings,
  path: 'forms',
  component: page(() => import('./settings/forms/FormsPage'), 'FormsPage', 'settings', 'setup'),
});
const form = createRoute({
  getParentRoute: () => settings,
  path: 'forms/$formId',
  component: page(() => import('./settings/forms/FormPage'), 'FormPage', 'deals', 'settings', 'setup'),
});
const branding = createRoute({
  getParentRoute: () => settings,
  path: 'branding',
  component: page(() => import('./settings/branding/BrandingPage'), 'BrandingPage', 'settings', 'setup'),
});
const bookingSources = createRoute({
  getParentRoute: () => settings,
  path: 'booking-sources',
  component: page(() => import('./settings/BookingSourcesPage'), 'BookingSourcesPage', 'settings', 'setup'),
});
const accountData = createRoute({
  getParentRoute: () => settings,
  path: 'data',
  component: page(() => import('./settings/data/DataPage'), 'DataPage', 'settings', 'setup'),
});
const tags = createRoute({
  getParentRoute: () => settings,
  path: 'tags',
  component: page(() => import('./settings/TagsPage'), 'TagsPage', 'settings'),
});
const fields = createRoute({
  getParentRoute: () => settings,
  path: 'fields',
  component: page(() => import('./settings/FieldsPage'), 'FieldsPage', 'settings'),
});
const pipelines = createRoute({
  getParentRoute: () => settings,
  path: 'pipelines',
  component: page(() => import('./settings/PipelinesPage'), 'PipelinesPage', 'settings'),
});
const canned = createRoute({
  getParentRoute: () => settings,
  path: 'canned-replies',
  component: page(() => import('./settings/CannedRepliesPage'), 'CannedRepliesPage', 'settings'),
});
const account = createRoute({
  getParentRoute: () => settings,
  path: 'account',
  component: page(
    () => import('./settings/AccountPage'),
    'AccountPage',
    'assistants',
    'settings',
    'setup',
    'spend',
  ),
});
const audit = createRoute({
  getParentRoute: () => settings,
  path: 'audit-log',
  component: page(() => import('./settings/AuditLogPage'), 'AuditLogPage', 'settings'),
});

const tree = root.addChildren([
  signIn,
  provider,
  password,
  lostPassword,
  shell.addChildren([
    home,
    firstSteps,
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
      newChannel,
      channel,
      forms,
      form,
      branding,
      bookingSources,
      accountData,
      tags,
      fields,
      pipelines,
      canned,
      audit,
    ]),
  ]),
]);

export function createAppRouter(queryClient: QueryClient) {
  holdReturn();
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
