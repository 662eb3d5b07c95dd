/** The pictures in README.md and docs/dashboard.md: which page each shows, and whether that page has changed since. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { FILES, staticImportsOf, textOf } from './sources';

export const PICTURES = resolve(import.meta.dirname, '../../../docs/pictures');
/** Beside the pictures: by the name of each, the code of its page when it was taken. */
export const TAKEN = resolve(PICTURES, 'taken.json');

interface Picture {
  /** Where the page is, below `/app`; or the name of a page of the shop that has an id. */
  path: string;
  /** The component, below `src`. */
  page: string;
  /** Also in the dark, for the README. */
  dark?: true;
}

export const DOCUMENTED: Readonly<Record<string, Picture>> = {
  'first-steps': { path: '/first-steps', page: 'firstSteps/FirstStepsPage.tsx' },
  inbox: { path: 'conversation', page: 'inbox/ConversationPage.tsx', dark: true },
  contacts: { path: '/contacts', page: 'contacts/ContactsPage.tsx' },
  contact: { path: 'contact', page: 'contacts/ContactPage.tsx' },
  segment: { path: '/segments/new', page: 'contacts/segments/SegmentPage.tsx' },
  import: { path: '/contacts/import', page: 'contacts/import/ImportPage.tsx' },
  board: { path: '/deals', page: 'deals/BoardPage.tsx', dark: true },
  deal: { path: 'deal', page: 'deals/DealPage.tsx' },
  inquiries: { path: '/inquiries', page: 'inquiries/InquiriesPage.tsx' },
  bookings: { path: '/bookings', page: 'bookings/BookingsPage.tsx' },
  broadcasts: { path: '/broadcasts', page: 'broadcasts/BroadcastsPage.tsx' },
  'new-broadcast': { path: '/broadcasts/new', page: 'broadcasts/wizard/WizardPage.tsx' },
  broadcast: { path: 'broadcast', page: 'broadcasts/BroadcastPage.tsx' },
  templates: { path: '/templates', page: 'broadcasts/TemplatesPage.tsx' },
  assistants: { path: '/assistants', page: 'assistants/AssistantsPage.tsx' },
  assistant: { path: 'assistant', page: 'assistants/AssistantPage.tsx' },
  approvals: { path: '/approvals', page: 'approvals/ApprovalsPage.tsx' },
  runs: { path: '/runs', page: 'runs/RunsPage.tsx' },
  run: { path: 'run', page: 'runs/RunPage.tsx', dark: true },
  triggers: { path: '/triggers', page: 'triggers/TriggersPage.tsx' },
  trigger: { path: 'trigger', page: 'triggers/TriggerPage.tsx' },
  spend: { path: '/spend', page: 'spend/SpendPage.tsx' },
  webhooks: { path: 'endpoint', page: 'developers/EndpointPage.tsx' },
  events: { path: '/developers/events', page: 'developers/EventsPage.tsx' },
  keys: { path: '/developers/keys', page: 'developers/KeysPage.tsx' },
  profile: { path: '/settings', page: 'settings/ProfilePage.tsx' },
  preferences: { path: '/settings/preferences', page: 'settings/PreferencesPage.tsx' },
  account: { path: '/settings/account', page: 'settings/AccountPage.tsx' },
  members: { path: '/settings/members', page: 'settings/MembersPage.tsx' },
  channels: { path: '/settings/channels/new?channel=whatsapp', page: 'settings/channels/ConnectPage.tsx' },
  'web-chat': { path: 'web-chat', page: 'settings/channels/ConnectionPage.tsx' },
  forms: { path: '/settings/forms', page: 'settings/forms/FormsPage.tsx' },
  form: { path: 'form', page: 'settings/forms/FormPage.tsx' },
  branding: { path: '/settings/branding', page: 'settings/branding/BrandingPage.tsx' },
  calendars: { path: '/settings/booking-sources', page: 'settings/BookingSourcesPage.tsx' },
  data: { path: '/settings/data', page: 'settings/data/DataPage.tsx' },
  tags: { path: '/settings/tags', page: 'settings/TagsPage.tsx' },
  fields: { path: '/settings/fields', page: 'settings/FieldsPage.tsx' },
  pipelines: { path: '/settings/pipelines', page: 'settings/PipelinesPage.tsx' },
  'canned-replies': { path: '/settings/canned-replies', page: 'settings/CannedRepliesPage.tsx' },
  'audit-log': { path: '/settings/audit-log', page: 'settings/AuditLogPage.tsx' },
};

export type Taken = Record<string, string>;

export const taken = (): Taken => JSON.parse(readFileSync(TAKEN, 'utf8')) as Taken;

/** The code of a page with all that it imports, and the styles, as one short word. Texts and types do not count. */
export function codeOf(page: string): string {
  const files = new Set<string>();
  const add = (file: string) => {
    if (files.has(file) || file.startsWith('i18n/') || file.startsWith('api/')) return;
    files.add(file);
    for (const imported of staticImportsOf(file)) add(imported);
  };
  if (!FILES.includes(page)) throw new Error(`There is no ${page}`);
  add(page);
  const hash = createHash('sha256').update(textOf('styles.css'));
  for (const file of [...files].sort()) hash.update(file).update(textOf(file));
  return hash.digest('hex').slice(0, 12);
}
