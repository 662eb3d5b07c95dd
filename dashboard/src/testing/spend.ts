/** What the small account spends. */
import type { AiUsage } from '@/api/schema';
import { dateIn } from '@/i18n/time';
import type { FakeServer } from './server';

const costs = { spent_usd: 12.5, calls: 420, tokens_in: 310_000, tokens_out: 9_000 };

/** Of this month until today, in the account's timezone. */
export function usageToday(more: Partial<AiUsage> = {}): AiUsage {
  const today = dateIn('Europe/Berlin', Date.now());
  return {
    ...costs,
    from: `${today.slice(0, 7)}-01`,
    to: today,
    budget_usd: 50,
    remaining_usd: 37.5,
    by_day: [{ date: today, ...costs }],
    by_model: [{ model: 'gpt-5-mini', ...costs }],
    by_assistant: [{ assistant_id: 'a1', ...costs }],
    ...more,
  };
}

export function spendAnswers(server: FakeServer): FakeServer {
  return server.on('GET /ai/usage', () => ({ data: usageToday() }));
}
