import { describe, expect, it } from 'vitest';
import type { RunEvent, RunEventType } from '@/api/schema';
import { readable, toTimeline } from './entries';

const START = Date.parse('2026-01-31T09:30:00.000Z');
let steps = 0;
const step = (type: RunEventType, seconds: number, data: unknown = {}): RunEvent => {
  steps += 1;
  const created_at = new Date(START + seconds * 1_000).toISOString();
  return { id: `e${steps}`, run_id: 'r1', type, data, created_at };
};

describe('toTimeline', () => {
  it('joins a tool’s call and its result, with the time between', () => {
    const [entry, ...others] = toTimeline([
      step('tool_called', 0, { call_id: 'c', tool: 'get_contact', arguments: { contact_id: 'ann' } }),
      step('tool_returned', 2, {
        call_id: 'c',
        tool: 'get_contact',
        is_error: false,
        content: '{"id":"ann"}',
      }),
    ]);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      kind: 'tool',
      tool: 'get_contact',
      input: { contact_id: 'ann' },
      result: '{"id":"ann"}',
      isError: false,
      durationMs: 2_000,
      wasUsed: true,
    });
  });

  it('shows a tool that is still at work', () => {
    expect(toTimeline([step('tool_called', 0, { call_id: 'c', tool: 'recall' })])).toMatchObject([
      { result: null, durationMs: null },
    ]);
  });

  it('shows a declined tool as one that was not used', () => {
    const entries = toTimeline([
      step('ask_raised', 0, { ask_id: 'q', tool: 'delete_deal', call_id: 'c' }),
      step('ask_answered', 60, { ask_id: 'q', status: 'declined', answer: 'No.', answered_by: 'bo' }),
      step('tool_returned', 60, {
        call_id: 'c',
        tool: 'delete_deal',
        is_error: true,
        content: '{"declined":true}',
      }),
    ]);
    expect(entries).toMatchObject([
      { kind: 'ask', status: 'declined', answer: 'No.', answeredBy: 'bo', durationMs: 60_000 },
      { kind: 'tool', wasUsed: false, isError: true },
    ]);
  });

  it('says what a model call cost, and how long it took', () => {
    const facts = { model: 'sandbox', text: 'Hi', tools: [], tokens_in: 9, tokens_out: 3, cost_usd: 0.002 };
    expect(toTimeline([step('started', 0), step('model_called', 1.5, facts)])[1]).toMatchObject({
      kind: 'model',
      durationMs: 1_500,
      tokensIn: 9,
      costUsd: 0.002,
    });
    const measured = toTimeline([
      step('started', 0),
      step('model_called', 1.5, { ...facts, duration_ms: 812 }),
    ]);
    expect(measured[1]).toMatchObject({ durationMs: 812 });
  });

  it('puts a sub-run into the call that started it', () => {
    const entries = toTimeline([
      step('tool_called', 0, { call_id: 'c', tool: 'delegate', arguments: { goal: 'Look.' } }),
      step('delegated', 0, { call_id: 'c', run_id: 'r2' }),
    ]);
    expect(entries).toMatchObject([{ kind: 'tool', subRunId: 'r2', result: null }]);
  });

  it('keeps two calls apart that have the same id in different replies', () => {
    const call = (seconds: number) => [
      step('tool_called', seconds, { call_id: 'call_0', tool: 'recall' }),
      step('tool_returned', seconds + 1, { call_id: 'call_0', tool: 'recall', content: String(seconds) }),
    ];
    expect(toTimeline([...call(0), ...call(5)])).toMatchObject([{ result: '0' }, { result: '5' }]);
  });
});

it('indents JSON and leaves other results as they are', () => {
  expect(readable('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(readable('Not found')).toBe('Not found');
});
