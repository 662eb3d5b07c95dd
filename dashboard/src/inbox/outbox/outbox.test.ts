import { describe, expect, it, vi } from 'vitest';
import { ApiError, unreachable } from '@/api/errors';
import type { Message, NewMessage } from '@/api/schema';
import { asShown, mediaKind, Outbox, type OutboxOptions, SENDS_ITSELF_MS_MAX } from './outbox';
import type { NewOutgoing } from './outgoing';
import { memoryStore, type OutboxStore } from './store';
import { type Lock, type OutboxChannel, type OutboxNotice, pageLock } from './tabs';

const NOW = Date.parse('2026-01-31T09:00:00.000Z');
const message = (id: string) => ({ id }) as Message;
const text = (words: string, conversationId = 'c1'): NewOutgoing => ({
  conversationId,
  createdAt: new Date(NOW).toISOString(),
  text: words,
  file: null,
  replyTo: null,
  lastSeen: null,
  request: { type: 'text', to: { conversation_id: conversationId }, text: words } satisfies NewMessage,
});
const settle = () => new Promise((done) => setTimeout(done, 0));
const refusal = (status: number, reason?: string) =>
  new ApiError({ status, code: 'unprocessable', message: 'No.', reason });

/** A browser of one member: what its tabs share, and a clock that only the test moves. */
class Browser {
  store: OutboxStore = memoryStore();
  now = NOW;
  readonly sent: string[] = [];
  readonly keys: string[] = [];
  readonly requests: NewMessage[] = [];
  readonly timers: Array<{ task: () => void; at: number }> = [];
  send: (request: NewMessage, key: string) => Promise<Message> = async (_, key) => message(`m-${key}`);
  upload = vi.fn(async () => '/media/1');
  private readonly lock: Lock = pageLock();
  private readonly listeners = new Set<(notice: OutboxNotice) => void>();
  private ids = 0;

  tab(change: Partial<OutboxOptions> = {}): Outbox {
    let mine: ((notice: OutboxNotice) => void) | undefined;
    const channel: OutboxChannel = {
      tell: (notice) => {
        for (const listener of this.listeners) if (listener !== mine) listener(notice);
      },
      listen: (listener) => {
        mine = listener;
        this.listeners.add(listener);
        return () => this.listeners.delete(listener);
      },
    };
    const outbox = new Outbox({
      owner: 'account.ann',
      store: this.store,
      channel,
      lock: this.lock,
      upload: this.upload,
      send: async (request, key) => {
        this.keys.push(key);
        this.requests.push(request);
        const sent = await this.send(request, key);
        this.sent.push('text' in request ? request.text : request.type);
        return sent;
      },
      onSent: vi.fn(),
      now: () => this.now,
      newId: () => {
        this.ids += 1;
        return `id${this.ids}`;
      },
      schedule: (task, pause) => {
        const timer = { task, at: this.now + pause };
        this.timers.push(timer);
        return () => void this.timers.splice(this.timers.indexOf(timer), 1);
      },
      ...change,
    });
    outbox.start();
    return outbox;
  }
  /** A tab that does nothing by itself. */
  worker(): Outbox {
    const outbox = this.tab();
    outbox.stop();
    return outbox;
  }

  async later(milliseconds: number): Promise<void> {
    this.now += milliseconds;
    for (const timer of [...this.timers]) if (timer.at <= this.now) timer.task();
    await settle();
  }
}

const offline = () => Promise.reject(unreachable());

describe('a message', () => {
  it('is shown at once, stored before it is sent, and gone when the server has it', async () => {
    const browser = new Browser();
    const onSent = vi.fn();
    const outbox = browser.tab({ onSent });
    const storedWhenSent: number[] = [];
    browser.send = async (_, key) => {
      storedWhenSent.push((await browser.store.list()).length);
      return message(key);
    };
    void outbox.add(text('Hello'));
    expect(outbox.all()).toMatchObject([{ text: 'Hello', state: 'sending' }]);
    await settle();
    expect(storedWhenSent).toEqual([1]);
    expect(outbox.all()).toEqual([]);
    expect(await browser.store.list()).toEqual([]);
    expect(onSent).toHaveBeenCalledTimes(1);
  });

  it('waits behind those before it in its conversation, and does not hold up others', async () => {
    const browser = new Browser();
    const outbox = browser.tab();
    const waiting: Array<() => void> = [];
    const order: unknown[] = [];
    browser.send = (request, key) => {
      order.push('text' in request && request.text);
      return new Promise((done) => waiting.push(() => done(message(key))));
    };
    void outbox.add(text('a'));
    void outbox.add(text('b'));
    void outbox.add(text('x', 'c2'));
    await settle();
    expect(order).toEqual(['a', 'x']);
    waiting[0]?.();
    await settle();
    expect(order).toEqual(['a', 'x', 'b']);
  });

  it('that the server cannot be reached for is sent by itself, in order and under its key, when it is back', async () => {
    const browser = new Browser();
    const outbox = browser.tab();
    browser.send = offline;
    void outbox.add(text('a'));
    void outbox.add(text('b'));
    await settle();
    expect(outbox.all()).toMatchObject([{ text: 'a', state: 'waiting' }, { text: 'b' }]);
    browser.send = async (_, key) => message(key);
    outbox.wake();
    await settle();
    expect(browser.sent).toEqual(['a', 'b']);
    expect(browser.keys[1]).toBe(browser.keys[0]);
  });

  it('behind one that waits is shown as waiting too', async () => {
    const browser = new Browser();
    const outbox = browser.tab();
    browser.send = offline;
    void outbox.add(text('a'));
    await settle();
    void outbox.add(text('b'));
    await settle();
    expect(asShown(outbox.all())).toMatchObject([
      { text: 'a', state: 'waiting' },
      { text: 'b', state: 'waiting', error: { code: 'unreachable' } },
    ]);
  });

  it('whose request gets no answer at all is tried again under its key', async () => {
    const browser = new Browser();
    const outbox = browser.tab();
    browser.send = () => Promise.reject(new DOMException('late', 'TimeoutError'));
    void outbox.add(text('a'));
    await settle();
    expect(outbox.all()).toMatchObject([{ state: 'waiting', error: { code: 'unreachable' } }]);
  });

  it('is tried again after a pause that grows, and as late as the server asks', async () => {
    const browser = new Browser();
    const outbox = browser.tab();
    browser.send = offline;
    void outbox.add(text('a'));
    await settle();
    await browser.later(999);
    expect(browser.keys).toHaveLength(1);
    await browser.later(1);
    expect(browser.keys).toHaveLength(2);
    browser.send = () =>
      Promise.reject(
        new ApiError({ status: 429, code: 'rate_limited', message: 'Slow.', retryAfterSeconds: 20 }),
      );
    await browser.later(2_000);
    expect(browser.keys).toHaveLength(3);
    await browser.later(19_999);
    expect(browser.keys).toHaveLength(3);
    browser.send = async (_, key) => message(key);
    await browser.later(1);
    expect(browser.sent).toEqual(['a']);
    expect(outbox.all()).toEqual([]);
  });

  it('that the server refuses waits for the member, lets the next one go, and gets a new key', async () => {
    const browser = new Browser();
    const outbox = browser.tab();
    browser.send = async (request, key) => {
      if ('text' in request && request.text === 'a') throw refusal(422, 'outside_window');
      return message(key);
    };
    void outbox.add(text('a'));
    void outbox.add(text('b'));
    await settle();
    expect(browser.sent).toEqual(['b']);
    expect(outbox.all()).toMatchObject([{ text: 'a', state: 'failed', error: { reason: 'outside_window' } }]);
    outbox.wake();
    await browser.later(60_000);
    expect(browser.keys).toHaveLength(2);
    browser.send = async (_, key) => message(key);
    await outbox.retry(outbox.all()[0]?.id ?? '');
    expect(browser.sent).toEqual(['b', 'a']);
    expect(new Set(browser.keys).size).toBe(3);
  });

  it('that somebody else was faster with says which message was seen, and can be sent anyway', async () => {
    const browser = new Browser();
    const outbox = browser.tab();
    browser.send = () => Promise.reject(refusal(422, 'newer_reply'));
    void outbox.add({ ...text('a'), lastSeen: 'm7' });
    await settle();
    expect(browser.requests[0]?.to).toEqual({ conversation_id: 'c1', last_seen_message_id: 'm7' });
    expect(outbox.all()).toMatchObject([{ state: 'failed', error: { reason: 'newer_reply' } }]);
    browser.send = async (_, key) => message(key);
    await outbox.retry(outbox.all()[0]?.id ?? '');
    expect(browser.requests[1]?.to).toEqual({ conversation_id: 'c1' });
    expect(browser.sent).toEqual(['a']);
  });

  it('keeps its key when the server fails, and waits for the member after some tries', async () => {
    const browser = new Browser();
    const outbox = browser.tab();
    browser.send = () => Promise.reject(new ApiError({ status: 500, code: 'internal', message: 'Oops.' }));
    void outbox.add(text('a'));
    await settle();
    for (let turn = 0; turn < 10; turn += 1) await browser.later(60_000);
    expect(outbox.all()).toMatchObject([{ state: 'failed' }]);
    expect(browser.keys).toHaveLength(6);
    browser.send = async (_, key) => message(key);
    await outbox.retry(outbox.all()[0]?.id ?? '');
    expect(browser.sent).toEqual(['a']);
    expect(new Set(browser.keys).size).toBe(1);
  });

  it('whose key is in flight elsewhere is tried again under it', async () => {
    const browser = new Browser();
    const outbox = browser.tab();
    browser.send = () =>
      Promise.reject(new ApiError({ status: 409, code: 'conflict', message: 'In flight.' }));
    void outbox.add(text('a'));
    await settle();
    expect(outbox.all()).toMatchObject([{ state: 'waiting' }]);
    browser.send = async (_, key) => message(key);
    await browser.later(1_000);
    expect(new Set(browser.keys).size).toBe(1);
    expect(browser.sent).toEqual(['a']);
  });

  it('can be taken back when the try under way has failed, and not when it was sent', async () => {
    const browser = new Browser();
    const outbox = browser.tab();
    let fail: () => void = () => undefined;
    browser.send = () =>
      new Promise((_, failed) => {
        fail = () => failed(unreachable());
      });
    void outbox.add(text('a'));
    await settle();
    const id = outbox.all()[0]?.id ?? '';
    const taken = outbox.discard(id);
    await settle();
    expect(outbox.all()).toHaveLength(1);
    fail();
    expect(await taken).toMatchObject({ outgoing: { text: 'a' } });
    expect(outbox.all()).toEqual([]);
    await browser.later(60_000);
    expect(browser.keys).toHaveLength(1);
    expect(await outbox.discard(id)).toBeUndefined();
  });
});

describe('after a reload', () => {
  it('what was not sent is shown and sent once, under the same key', async () => {
    const browser = new Browser();
    const before = browser.tab();
    browser.send = offline;
    void before.add(text('a'));
    void before.add(text('b'));
    await settle();
    before.stop();
    browser.send = async (_, key) => message(key);
    const after = browser.tab();
    await settle();
    expect(browser.sent).toEqual(['a', 'b']);
    expect(browser.keys[1]).toBe(browser.keys[0]);
    expect(after.all()).toEqual([]);
  });

  it('what the server refused still waits for the member', async () => {
    const browser = new Browser();
    const before = browser.tab();
    browser.send = () => Promise.reject(refusal(422, 'outside_window'));
    void before.add(text('a'));
    await settle();
    before.stop();
    const after = browser.tab();
    await settle();
    expect(after.all()).toMatchObject([{ text: 'a', state: 'failed', error: { reason: 'outside_window' } }]);
    expect(browser.keys).toHaveLength(1);
  });

  it('a message of yesterday is not sent by itself: the server may have forgotten its key', async () => {
    const browser = new Browser();
    const before = browser.tab();
    browser.send = offline;
    void before.add(text('a'));
    await settle();
    before.stop();
    browser.now += SENDS_ITSELF_MS_MAX + 1;
    browser.send = async (_, key) => message(key);
    const after = browser.tab();
    await settle();
    expect(after.all()).toMatchObject([{ state: 'failed', error: { code: 'too_old' } }]);
    await after.retry(after.all()[0]?.id ?? '');
    expect(browser.sent).toEqual(['a']);
  });
});

describe('a worker without a page', () => {
  it('sends what a page has left, in order and under its keys, and tells pages', async () => {
    const browser = new Browser();
    const before = browser.tab();
    browser.send = offline;
    void before.add(text('a'));
    void before.add(text('b'));
    await settle();
    before.stop();
    browser.send = async (_, key) => message(key);
    expect(await browser.worker().sendStored()).toBe(true);
    expect(browser.sent).toEqual(['a', 'b']);
    expect(browser.keys[1]).toBe(browser.keys[0]);
    expect(await browser.store.list()).toEqual([]);
  });

  it('leaves a refusal with its reason, and what waits for a later try', async () => {
    const browser = new Browser();
    const before = browser.tab();
    browser.send = offline;
    void before.add(text('a'));
    void before.add(text('b', 'c2'));
    await settle();
    before.stop();
    browser.send = (request) =>
      Promise.reject(
        'text' in request && request.text === 'a' ? refusal(422, 'outside_window') : refusal(401),
      );
    expect(await browser.worker().sendStored()).toBe(false);
    const after = browser.tab();
    await settle();
    expect(after.all()).toMatchObject([
      { text: 'a', state: 'failed', error: { reason: 'outside_window' } },
      { text: 'b', state: 'waiting' },
    ]);
    expect(browser.sent).toEqual([]);
  });

  it('and a page that sends at the same time send once', async () => {
    const browser = new Browser();
    const page = browser.tab();
    browser.send = offline;
    void page.add(text('a'));
    await settle();
    browser.send = async (_, key) => message(key);
    const worker = browser.worker();
    page.wake();
    await Promise.all([worker.sendStored(), worker.sendStored()]);
    await settle();
    expect(browser.sent).toEqual(['a']);
    expect(page.all()).toEqual([]);
  });
});

describe('two tabs', () => {
  it('show the same messages, and one of them sends', async () => {
    const browser = new Browser();
    const [one, two] = [browser.tab(), browser.tab()];
    await settle();
    browser.send = offline;
    void one.add(text('a'));
    await settle();
    expect(two.all()).toMatchObject([{ text: 'a', state: 'waiting' }]);
    const answers: Array<() => void> = [];
    browser.send = (_, key) => new Promise((done) => answers.push(() => done(message(key))));
    one.wake();
    two.wake();
    await settle();
    expect(answers).toHaveLength(1);
    answers[0]?.();
    await settle();
    expect(answers).toHaveLength(1);
    expect(one.all()).toEqual([]);
    expect(two.all()).toEqual([]);
    expect(two.isAnswered(`${browser.keys.at(-1)}`)).toBe(true);
  });

  it('send a refused message once when it is tried again in both', async () => {
    const browser = new Browser();
    const [one, two] = [browser.tab(), browser.tab()];
    browser.send = () => Promise.reject(refusal(422));
    void one.add(text('a'));
    await settle();
    browser.send = async (_, key) => message(key);
    const id = one.all()[0]?.id ?? '';
    await Promise.all([one.retry(id), two.retry(id)]);
    await settle();
    expect(browser.sent).toEqual(['a']);
    expect(await browser.store.list()).toEqual([]);
  });
});

describe('a browser without room', () => {
  it('sends what it could not store', async () => {
    const browser = new Browser();
    const full = () => Promise.reject(new DOMException('full', 'QuotaExceededError'));
    browser.store = { ...memoryStore(), put: full, putFile: full };
    const outbox = browser.tab();
    browser.send = offline;
    await outbox.add(text('a'));
    await settle();
    expect(outbox.all()).toMatchObject([{ text: 'a', state: 'waiting' }]);
    browser.send = async (_, key) => message(key);
    outbox.wake();
    await settle();
    expect(browser.sent).toEqual(['a']);
    expect(outbox.all()).toEqual([]);
  });
});

describe('a file', () => {
  const file = new File(['x'], 'plan.pdf', { type: 'application/pdf' });
  const outgoing: NewOutgoing = {
    ...text('The plan'),
    request: null,
    replyTo: 'm1',
    file: { name: file.name, size: file.size, contentType: file.type, url: null },
  };

  it('is not uploaded again when only the sending failed, not even after a reload', async () => {
    const browser = new Browser();
    const before = browser.tab();
    browser.send = offline;
    void before.add(outgoing, file);
    await settle();
    before.stop();
    browser.send = async (_, key) => message(key);
    browser.tab();
    await settle();
    expect(browser.upload).toHaveBeenCalledTimes(1);
    expect(browser.requests[1]).toEqual({
      type: 'media',
      to: { conversation_id: 'c1' },
      reply_to_message_id: 'm1',
      media: { kind: 'document', url: '/media/1', filename: 'plan.pdf', caption: 'The plan' },
    });
  });

  it('that was not uploaded is uploaded after a reload', async () => {
    const browser = new Browser();
    const before = browser.tab();
    browser.upload.mockRejectedValueOnce(unreachable());
    void before.add(outgoing, file);
    await settle();
    expect(before.all()).toMatchObject([{ state: 'waiting', file: { url: null } }]);
    before.stop();
    browser.tab();
    await settle();
    expect(browser.sent).toEqual(['media']);
  });

  it('that the browser could not keep is missed after a reload, and the text is still there', async () => {
    const browser = new Browser();
    browser.store = { ...memoryStore(), putFile: () => Promise.reject(new Error('full')) };
    const before = browser.tab();
    browser.upload.mockRejectedValueOnce(unreachable());
    void before.add(outgoing, file);
    await settle();
    before.stop();
    const after = browser.tab();
    await settle();
    expect(after.all()).toMatchObject([
      { state: 'failed', text: 'The plan', error: { code: 'file_missing' } },
    ]);
  });

  it('that the server has already is not uploaded', async () => {
    const browser = new Browser();
    const kept = { name: 'map.png', size: 5, contentType: 'image/png', url: '/media/kept' };
    void browser.tab().add({ ...outgoing, text: null, file: kept });
    await settle();
    expect(browser.upload).not.toHaveBeenCalled();
    expect(browser.requests[0]).toMatchObject({
      media: { kind: 'image', url: '/media/kept', filename: 'map.png' },
    });
  });
});

it('sends nothing once it is stopped', async () => {
  const browser = new Browser();
  const outbox = browser.tab();
  browser.send = offline;
  void outbox.add(text('a'));
  await settle();
  outbox.stop();
  browser.send = async (_, key) => message(key);
  outbox.wake();
  await browser.later(60_000);
  expect(browser.sent).toEqual([]);
});

it('sends unknown kinds of files as documents', () => {
  expect(mediaKind('image/png')).toBe('image');
  expect(mediaKind('application/pdf')).toBe('document');
  expect(mediaKind('')).toBe('document');
});
