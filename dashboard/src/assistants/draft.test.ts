import { describe, expect, it } from 'vitest';
import type { AssistantTool } from '@/api/schema';
import { assistant, assistantTools as tools } from '@/testing/data';
import { changedFields, type Draft, draftOf, patchOf, rebase, takeStored, toolSettingsOf } from './draft';

const base = draftOf(assistant, tools, [{ id: 'i1' }]);
const with_ = (more: Partial<Draft>): Draft => ({ ...base, ...more });
const switched = (id: string, choice: Partial<Draft['tools'][string]>): Draft => ({
  ...base,
  tools: {
    ...base.tools,
    [id]: { enabled: false, gated: false, unconfined: false, ...base.tools[id], ...choice },
  },
});

describe('changedFields', () => {
  it('names what differs, and nothing after it is taken back', () => {
    expect(changedFields(base, with_({ name: 'Robin', instruction_ids: [] }))).toEqual([
      'name',
      'instruction_ids',
    ]);
    expect(changedFields(base, with_({ name: assistant.name }))).toEqual([]);
  });

  it('does not count the order of channels or keys', () => {
    const one = with_({
      targets: ['whatsapp', 'web_chat'],
      delegation: { ...base.delegation, max_cost_usd: 1 },
    });
    const { max_cost_usd: _, ...rest } = one.delegation;
    const other = with_({ targets: ['web_chat', 'whatsapp'], delegation: { max_cost_usd: 1, ...rest } });
    expect(changedFields(one, other)).toEqual([]);
  });

  it('counts the order of instructions: the assistant follows them in order', () => {
    expect(
      changedFields(with_({ instruction_ids: ['a', 'b'] }), with_({ instruction_ids: ['b', 'a'] })),
    ).toEqual(['instruction_ids']);
  });
});

describe('patchOf', () => {
  it('has only what has changed', () => {
    expect(patchOf(base, with_({ name: 'Robin' }))).toEqual({ name: 'Robin' });
    expect(patchOf(base, switched('delete_deal', { enabled: true }))).toBeNull();
  });

  it('clears a field that has nothing but spaces', () => {
    expect(patchOf(with_({ model: 'gpt-5' }), with_({ model: '  ' }))).toEqual({ model: null });
    expect(patchOf(base, with_({ model: '  ' }))).toBeNull();
  });
});

describe('toolSettingsOf', () => {
  it('names tools that differ from their default, and leaves critical ones out of the gated', () => {
    expect(toolSettingsOf(base, tools)).toEqual({ tool_access: {}, gated_tools: [], unconfined_tools: [] });
    const draft = switched('delete_deal', { enabled: true });
    draft.tools.add_tag = { enabled: false, gated: true, unconfined: true };
    expect(toolSettingsOf(draft, tools)).toEqual({
      tool_access: { delete_deal: true, add_tag: false },
      gated_tools: ['add_tag'],
      unconfined_tools: ['add_tag'],
    });
  });

  it('does not send a tool that the server no longer has', () => {
    const draft = switched('gone', { enabled: true });
    expect(toolSettingsOf(draft, tools as AssistantTool[]).tool_access).toEqual({});
  });
});

describe('rebase', () => {
  it('takes a colleague’s change of another field', () => {
    const stored = with_({ system_prompt: 'Be brief.' });
    expect(rebase(base, stored, with_({ name: 'Robin' }))).toEqual({
      draft: { ...stored, name: 'Robin' },
      conflicts: [],
    });
  });

  it('keeps the member’s version of a field that both changed, and names it', () => {
    const stored = with_({ name: 'Kim' });
    const { draft, conflicts } = rebase(base, stored, with_({ name: 'Robin' }));
    expect([draft.name, conflicts]).toEqual(['Robin', ['name']]);
    expect(takeStored(stored, draft, conflicts).name).toBe('Kim');
  });

  it('sees no conflict where both wrote the same', () => {
    expect(rebase(base, with_({ name: 'Kim' }), with_({ name: 'Kim' })).conflicts).toEqual([]);
  });
});
