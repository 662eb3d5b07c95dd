/** Triggers of the small account. */
import type { Trigger, TriggerCall, TriggerDraft, TriggerDraftPreview } from '@/api/schema';
import { page } from './page';
import type { FakeServer } from './server';

const AT = '2026-01-31T09:30:00.000Z';

export const trigger: Trigger = {
  id: 't1',
  assistant_id: 'a1',
  name: 'Monday follow-up',
  enabled: true,
  kind: 'recurring',
  goal: 'Ask whether the offer raised any questions.',
  period: 'weekly',
  send_time: '09:00',
  day_of_week: 1,
  day_of_month: null,
  run_at: null,
  event_key: null,
  audience_type: 'segment',
  contact_id: null,
  segment_id: 'g1',
  max_targets: 50,
  respect_quiet_hours: false,
  last_fired_at: AT,
  last_error: null,
  created_at: AT,
  updated_at: AT,
};

export const triggerCall: TriggerCall = {
  id: 'k1',
  outcome: 'started',
  status_code: 202,
  error: null,
  run_id: 'r1',
  count: 1,
  last_called_at: AT,
  address: '203.0.113.7',
  body_bytes: 15,
  body: '{ "order": 42 }',
  created_at: AT,
};

const WEEK_MS = 7 * 24 * 60 * 60_000;

/** Five times on the wanted day of the week. */
function draftPreview({ day_of_week: day }: TriggerDraft): TriggerDraftPreview {
  const first = Date.parse(`2026-02-0${1 + (day ?? 0)}T08:00:00.000Z`);
  return {
    fire_times: [0, 1, 2, 3, 4].map((week) => new Date(first + week * WEEK_MS).toISOString()),
    would_fire: true,
    reason: null,
    target_count: 1,
    targets: [{ contact_id: 'ann', name: 'Ann Lee' }],
  };
}

export function triggerAnswers(server: FakeServer): FakeServer {
  return server
    .on('GET /triggers', page([trigger]))
    .on('GET /triggers/{id}', { data: trigger })
    .on('GET /triggers/{id}/calls', page([triggerCall]))
    .on('POST /triggers/{id}/preview', {
      data: {
        next_fire_at: AT,
        would_fire: true,
        reason: null,
        target_count: 2,
        targets: [{ contact_id: 'ann', name: 'Ann Lee' }],
      },
    })
    .on('POST /app/api/triggers/preview', ({ body }) => ({ data: draftPreview(body as TriggerDraft) }))
    .on('GET /runs', page([]));
}
