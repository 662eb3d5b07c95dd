import { describe, expect, it } from 'vitest';
import { trialReply } from '@/testing/assistants';
import { assistant, assistantTools as tools } from '@/testing/data';
import { draftOf } from './draft';
import { costOf, entriesOf, messagesOf, type Turn, trialRequest } from './trial';

const draft = draftOf(assistant, tools, [{ id: 'i1' }]);
const asked: Turn = { from: 'customer', text: 'Is it open?' };
const answered: Turn = { from: 'assistant', answer: trialReply };

describe('a trial', () => {
  it('sends the assistant as it is in the editor', () => {
    const edited = { ...draft, name: 'Robin', model: ' ' };
    edited.tools = { ...draft.tools, add_tag: { enabled: false, gated: true, unconfined: false } };
    const request = trialRequest(edited, tools, [asked]);
    expect(request.draft).toMatchObject({
      name: 'Robin',
      model: null,
      tool_access: { add_tag: false },
      gated_tools: ['add_tag'],
    });
    expect(request.instruction_ids).toEqual(['i1']);
    expect(request.messages).toEqual([asked]);
  });

  it('leaves out a turn in which the assistant said nothing, and the oldest messages', () => {
    const silent: Turn = { from: 'assistant', answer: { ...trialReply, reply: null } };
    expect(messagesOf([asked, silent, asked])).toEqual([asked, asked]);
    const many = Array.from({ length: 60 }, (_, at): Turn => ({ from: 'customer', text: String(at) }));
    expect(messagesOf(many)).toHaveLength(40);
    expect(messagesOf(many).at(-1)).toEqual({ from: 'customer', text: '59' });
  });

  it('adds up what it cost, and tells calls of the model from those of tools', () => {
    expect(costOf([asked, answered, asked, answered])).toBeCloseTo(0.004);
    expect(entriesOf(trialReply).map(({ kind }) => kind)).toEqual(['model', 'tool']);
  });
});
