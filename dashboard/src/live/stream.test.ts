import { describe, expect, it } from 'vitest';
import { StreamParser } from './sse';
import { EventStream, RETRY_MS_MAX, SILENCE_MS_MAX, type StreamState } from './stream';

describe('StreamParser', () => {
  it('puts an event together from chunks cut anywhere', () => {
    const text =
      ': hello\r\nid: evt_1\r\nevent: message.received\r\ndata: {"a":\r\ndata: 1}\r\n\r\nid: evt_2\ndata: x\n\n';
    for (let cut = 0; cut <= text.length; cut += 1) {
      const parser = new StreamParser();
      const events = [...parser.push(text.slice(0, cut)), ...parser.push(text.slice(cut))];
      expect(events, `cut at ${cut}`).toEqual([
        { id: 'evt_1', type: 'message.received', data: '{"a":\n1}' },
        { id: 'evt_2', type: 'message', data: 'x' },
      ]);
    }
  });

  it('hands on nothing for comments and for events without data', () => {
    expect(new StreamParser().push(': ping\n\nevent: nothing\n\n')).toEqual([]);
  });
});

/** A server of scripted connections, and a clock moved by hand. */
function setUp() {
  const connections: Array<{
    lastId: string | null;
    signal: AbortSignal;
    write: (text: string) => void;
    end: () => void;
  }> = [];
  const statuses: number[] = [];
  const timers: Array<{ at: number; task: () => void }> = [];
  const states: StreamState[] = [];
  const received: string[] = [];
  let now = 0;
  let resets = 0;
  const stream = new EventStream({
    url: '/app/api/stream',
    fetch: async (_url, init) => {
      const status = statuses.shift() ?? 200;
      if (status === 0) throw new TypeError('no network');
      if (status !== 200) return new Response('', { status });
      const signal = init?.signal as AbortSignal;
      let controller!: ReadableStreamDefaultController<Uint8Array>;
      const body = new ReadableStream<Uint8Array>({
        start: (given) => {
          controller = given;
        },
      });
      signal.addEventListener('abort', () => controller.error(new Error('aborted')));
      connections.push({
        lastId: new Headers(init?.headers).get('last-event-id'),
        signal,
        write: (text) => controller.enqueue(new TextEncoder().encode(text)),
        end: () => controller.close(),
      });
      return new Response(body, { status: 200 });
    },
    onEvent: (event) => received.push(`${event.type} ${event.data}`),
    onState: (state) => states.push(state),
    onReset: () => {
      resets += 1;
    },
    schedule: (task, milliseconds) => {
      const timer = { at: now + milliseconds, task };
      timers.push(timer);
      return () => {
        const index = timers.indexOf(timer);
        if (index >= 0) timers.splice(index, 1);
      };
    },
    random: () => 1,
  });
  const settle = async () => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    await new Promise((done) => setTimeout(done, 0));
  };
  const advance = async (milliseconds: number) => {
    now += milliseconds;
    for (const timer of timers.filter((timer) => timer.at <= now)) {
      timers.splice(timers.indexOf(timer), 1);
      timer.task();
    }
    await settle();
  };
  return {
    stream,
    connections,
    statuses,
    states,
    received,
    timers,
    settle,
    advance,
    resets: () => resets,
    now: () => now,
  };
}

describe('EventStream', () => {
  it('resumes after the last event and hands none on twice', async () => {
    const { stream, connections, received, settle, advance } = setUp();
    stream.start();
    await settle();
    connections[0]?.write('id: evt_1\ndata: a\n\nid: evt_2\ndata: b\n\n');
    await settle();
    connections[0]?.end();
    await settle();
    await advance(1_000);
    expect(connections[1]?.lastId).toBe('evt_2');
    connections[1]?.write('id: evt_2\ndata: b\n\nid: evt_3\ndata: c\n\n');
    await settle();
    expect(received).toEqual(['message a', 'message b', 'message c']);
  });

  it('keeps the last id across an event that carries none', async () => {
    const { stream, connections, settle, advance } = setUp();
    stream.start();
    await settle();
    connections[0]?.write('id: evt_1\ndata: a\n\nevent: presence\ndata: {}\n\n');
    await settle();
    connections[0]?.end();
    await settle();
    await advance(1_000);
    expect(connections[1]?.lastId).toBe('evt_1');
  });

  it('gives up a connection that has gone silent and opens another', async () => {
    const { stream, connections, states, settle, advance } = setUp();
    stream.start();
    await settle();
    await advance(SILENCE_MS_MAX - 1);
    connections[0]?.write(': ping\n\n');
    await settle();
    await advance(SILENCE_MS_MAX - 1);
    expect(connections[0]?.signal.aborted).toBe(false);
    await advance(1);
    expect(connections[0]?.signal.aborted).toBe(true);
    expect(states.at(-1)).toBe('lost');
    await advance(1_000);
    expect(states.at(-1)).toBe('open');
  });

  it('waits longer after each failure, up to a ceiling, and starts over once connected', async () => {
    const { stream, connections, statuses, timers, settle, advance, now } = setUp();
    statuses.push(0, 503, 0, 0, 0, 0, 0, 0, 0, 0);
    stream.start();
    await settle();
    const waits: number[] = [];
    for (let failure = 0; failure < 10; failure += 1) {
      const wait = (timers[0]?.at ?? 0) - now();
      waits.push(wait);
      await advance(wait);
    }
    expect(waits.slice(0, 4)).toEqual([500, 1_000, 2_000, 4_000]);
    expect(waits.at(-1)).toBe(RETRY_MS_MAX);
    connections[0]?.write(': ping\n\n');
    await settle();
    connections[0]?.end();
    await settle();
    expect((timers[0]?.at ?? 0) - now()).toBe(500);
  });

  it('asks for a fresh read once at the start and when the server cannot resume', async () => {
    const { stream, connections, settle, advance, resets } = setUp();
    stream.start();
    await settle();
    expect(resets()).toBe(1);
    connections[0]?.end();
    await settle();
    await advance(1_000);
    expect(resets()).toBe(1);
    connections[1]?.write('event: reset\nid: evt_9\ndata: {}\n\n');
    await settle();
    expect(resets()).toBe(2);
    connections[1]?.end();
    await settle();
    await advance(1_000);
    expect(connections[2]?.lastId).toBe('evt_9');
  });

  it('ends for good when the session has ended', async () => {
    const { stream, statuses, states, timers, settle } = setUp();
    statuses.push(401);
    stream.start();
    await settle();
    expect(states.at(-1)).toBe('ended');
    expect(timers).toEqual([]);
  });

  it('does nothing more once stopped', async () => {
    const { stream, connections, timers, settle } = setUp();
    stream.start();
    await settle();
    stream.stop();
    await settle();
    expect(connections).toHaveLength(1);
    expect(timers).toEqual([]);
  });
});
