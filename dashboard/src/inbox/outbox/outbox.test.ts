import { describe, expect, it, vi } from 'vitest';
import type { Message, NewMessage } from '@/api/schema';
import { mediaKind, Outbox, type Transport } from './outbox';

const message = (id: string) => ({ id }) as Message;
const text = (id: string, conversationId = 'c1') => ({
  id,
  conversationId,
  createdAt: '2026-01-31T09:00:00.000Z',
  text: id,
  file: null,
  replyTo: null,
  request: { type: 'text', to: { conversation_id: conversationId }, text: id } satisfies NewMessage,
});
const settle = () => new Promise((done) => setTimeout(done, 0));

describe('Outbox', () => {
  it('shows a message at once and lets it go when the server has it', async () => {
    const sent = vi.fn();
    const outbox = new Outbox({ upload: vi.fn(), send: async (_request, key) => message(key) }, sent);
    outbox.add(text('a'));
    expect(outbox.all()).toMatchObject([{ id: 'a', state: 'sending' }]);
    await settle();
    expect(outbox.all()).toEqual([]);
    expect(sent).toHaveBeenCalledWith(message('a'), expect.objectContaining({ id: 'a' }));
  });

  it('keeps the order within a conversation and does not hold up others', async () => {
    const order: string[] = [];
    const waiting: Array<() => void> = [];
    const transport: Transport = {
      upload: vi.fn(),
      send: (_request, key) =>
        new Promise((done) => {
          order.push(key);
          waiting.push(() => done(message(key)));
        }),
    };
    const outbox = new Outbox(transport, vi.fn());
    outbox.add(text('a'));
    outbox.add(text('b'));
    outbox.add(text('x', 'c2'));
    await settle();
    expect(order).toEqual(['a', 'x']);
    waiting[0]?.();
    await settle();
    expect(order).toEqual(['a', 'x', 'b']);
  });

  it('keeps a failed message with its reason, goes on with the next, and tries again under the same key', async () => {
    const keys: string[] = [];
    const failure = new Error('no network');
    const transport: Transport = {
      upload: vi.fn(),
      send: async (_request, key) => {
        keys.push(key);
        if (keys.length === 1) throw failure;
        return message(key);
      },
    };
    const outbox = new Outbox(transport, vi.fn());
    outbox.add(text('a'));
    outbox.add(text('b'));
    await settle();
    expect(outbox.all()).toMatchObject([{ id: 'a', state: 'failed', error: failure }]);
    outbox.retry('a');
    await settle();
    expect(keys).toEqual(['a', 'b', 'a']);
    expect(outbox.all()).toEqual([]);
  });

  it('does not upload a file again when only the sending failed', async () => {
    const upload = vi.fn(async () => '/media/1');
    let tries = 0;
    const requests: NewMessage[] = [];
    const transport: Transport = {
      upload,
      send: async (request, key) => {
        requests.push(request);
        tries += 1;
        if (tries === 1) throw new Error('down');
        return message(key);
      },
    };
    const outbox = new Outbox(transport, vi.fn());
    const file = new File(['x'], 'plan.pdf', { type: 'application/pdf' });
    outbox.add({
      ...text('a'),
      text: 'The plan',
      request: null,
      file: { name: file.name, size: file.size, contentType: file.type, source: file },
      replyTo: 'm1',
    });
    await settle();
    outbox.retry('a');
    await settle();
    expect(upload).toHaveBeenCalledTimes(1);
    expect(requests[1]).toEqual({
      type: 'media',
      to: { conversation_id: 'c1' },
      reply_to_message_id: 'm1',
      media: { kind: 'document', url: '/media/1', filename: 'plan.pdf', caption: 'The plan' },
    });
  });

  it('uploads nothing that the server has already', async () => {
    const upload = vi.fn();
    const requests: NewMessage[] = [];
    const transport: Transport = {
      upload,
      send: async (request, key) => {
        requests.push(request);
        return message(key);
      },
    };
    const outbox = new Outbox(transport, vi.fn());
    const file = { name: 'map.png', size: 5, contentType: 'image/png', source: '/media/kept' };
    outbox.add({ ...text('a'), text: null, request: null, file });
    await settle();
    expect(upload).not.toHaveBeenCalled();
    expect(requests[0]).toMatchObject({ media: { kind: 'image', url: '/media/kept', filename: 'map.png' } });
  });

  it('discards only what has failed', async () => {
    const outbox = new Outbox({ upload: vi.fn(), send: () => new Promise(() => undefined) }, vi.fn());
    outbox.add(text('a'));
    expect(outbox.discard('a')).toBeUndefined();
    expect(outbox.all()).toHaveLength(1);
  });
});

it('sends unknown kinds of files as documents', () => {
  expect(mediaKind('image/png')).toBe('image');
  expect(mediaKind('application/pdf')).toBe('document');
  expect(mediaKind('')).toBe('document');
});
