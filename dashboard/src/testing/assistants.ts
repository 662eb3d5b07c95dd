/** An assistant of the small account, its run and what it asks. */
import type {
  Ask,
  Assistant,
  AssistantTool,
  AssistantVersionDetail,
  Run,
  RunEvent,
  TrialReply,
} from '@/api/schema';
import { page } from './page';
import type { FakeServer } from './server';

const AT = '2026-01-31T09:30:00.000Z';

export const assistant: Assistant = {
  id: 'a1',
  name: 'Helper',
  color: null,
  enabled: true,
  system_prompt: 'Be helpful.',
  model: null,
  temperature: null,
  history_limit: null,
  handle_images: true,
  handle_voice: true,
  transcribe_media: true,
  voice_replies: false,
  voice_provider: null,
  voice_id: null,
  targets: [],
  tool_access: {},
  gated_tools: [],
  instruction_count: 0,
  default_handoff_user_id: null,
  delegation: { enabled: false, allowed_tools: null, max_children_per_run: 5, max_cost_usd: null },
  schedule: { mode: 'always', hours: null },
  created_at: AT,
  updated_at: AT,
};

const tool = (id: string, more: Partial<AssistantTool>): AssistantTool => ({
  id,
  name: id,
  description: '',
  category: 'deals',
  critical: false,
  default_enabled: true,
  can_be_unconfined: true,
  parameters: {},
  enabled: true,
  gated: false,
  unconfined: false,
  ...more,
});
export const assistantTools: AssistantTool[] = [
  tool('add_tag', { category: 'contacts' }),
  tool('delete_deal', { critical: true, gated: true, default_enabled: false, enabled: false }),
];

export const ask: Ask = {
  id: 'q1',
  run_id: 'r1',
  assistant_id: 'a1',
  kind: 'approval',
  prompt: 'Helper wants to use the tool "Delete a deal".',
  tool: 'delete_deal',
  arguments: { deal_id: 'd1' },
  status: 'pending',
  answer: null,
  answered_by: null,
  expires_at: '2099-02-03T09:30:00.000Z',
  answered_at: null,
  created_at: AT,
};

export const run: Run = {
  id: 'r1',
  assistant_id: 'robo',
  trigger_id: null,
  parent_run_id: null,
  contact_id: 'ann',
  conversation_id: 'c1',
  goal: 'Answer the customer.',
  status: 'succeeded',
  result: 'Yes, it is.',
  error: null,
  cost_usd: 0.002,
  tokens_in: 900,
  tokens_out: 30,
  tick_count: 1,
  pending_asks: [],
  started_at: AT,
  finished_at: AT,
  created_at: AT,
  updated_at: AT,
};
export const runSteps: RunEvent[] = [
  { id: 'e2', run_id: 'r1', type: 'message_sent', data: { message_id: 'm1' }, created_at: AT },
  { id: 'e1', run_id: 'r1', type: 'model_called', data: { model: 'sandbox' }, created_at: AT },
];

export const trialReply: TrialReply = {
  reply: 'You are tagged.',
  error: null,
  steps: [
    {
      type: 'model_called',
      data: {
        model: 'sandbox',
        text: null,
        tools: ['add_tag'],
        tokens_in: 900,
        tokens_out: 30,
        cost_usd: 0.002,
      },
      duration_ms: 812,
    },
    {
      type: 'tool_called',
      data: {
        tool: 'add_tag',
        arguments: { tag: 'VIP' },
        content: '{"simulated":true}',
        is_error: false,
        simulated: true,
        gated: false,
      },
      duration_ms: 0,
    },
  ],
  cost_usd: 0.002,
  tokens_in: 900,
  tokens_out: 30,
};

/** The assistant before its tools and its prompt were changed. */
export const assistantVersion: AssistantVersionDetail = {
  id: 'v1',
  number: 1,
  created_at: AT,
  author_user_id: 'bo',
  restored_from: null,
  changed: [],
  assistant: { ...assistant, tool_access: { add_tag: false } },
  unconfined_tools: [],
  instruction_ids: [],
};

export function assistantAnswers(server: FakeServer): FakeServer {
  return server
    .on('POST /app/api/assistants/{id}/trial', { data: trialReply })
    .on(
      'GET /app/api/assistants/{id}/versions',
      page([{ ...assistantVersion, id: 'v2', number: 2, changed: ['tool_access'] }, assistantVersion]),
    )
    .on('GET /app/api/assistants/{id}/versions/{version_id}', { data: assistantVersion })
    .on('GET /app/api/spend/runs', page([run]))
    .on('GET /app/api/runs/counts', { data: { queued: 0, running: 1, waiting: 2 } });
}
