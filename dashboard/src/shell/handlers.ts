/** What the features do with events of the account. Every list is written once for a batch, and drawn once. */
import { approvalsLive } from '@/approvals/live';
import { assistantsLive } from '@/assistants/live';
import { bookingsLive } from '@/bookings/live';
import { broadcastsLive } from '@/broadcasts/live';
import { contactsLive } from '@/contacts/live';
import { dealsLive } from '@/deals/live';
import { developersLive } from '@/developers/live';
import { firstStepsLive } from '@/firstSteps/live';
import { inboxLive } from '@/inbox/live';
import { inquiriesLive } from '@/inquiries/live';
import type { LiveHandler } from '@/live/handler';
import { runsLive } from '@/runs/live';
import { settingsLive } from '@/settings/live';
import { spendLive } from '@/spend/live';
import { triggersLive } from '@/triggers/live';

export const HANDLERS: readonly LiveHandler[] = [
  inboxLive,
  contactsLive,
  dealsLive,
  broadcastsLive,
  inquiriesLive,
  bookingsLive,
  assistantsLive,
  approvalsLive,
  runsLive,
  settingsLive,
  developersLive,
  triggersLive,
  spendLive,
  firstStepsLive,
];
