import { describe, expect, it } from 'vitest';
import { type Channel, SharedStream } from './shared';
import type { StreamEvent } from './sse';
import type { EventStream, StreamState } from './stream';

/** Tabs of one browser: a channel that reaches all others, and a lock that one holds at a time. */
function browser() {
  const channels = new Set<Channel>();
  const waiting: Array<() => Promise<void>> = [];
  let held = false;
  const next = () => {
    const task = held ? undefined : waiting.shift();
    if (!task) return;
    held = true;
    void task().then(() => {
      held = false;
      next();
    });
  };
  const opened: Array<{
    lastId: string | undefined;
    emit: (event: StreamEvent) => void;
    state: (state: StreamState) => void;
  }> = [];
  const tab = () => {
    const events: string[] = [];
    const states: StreamState[] = [];
    let resets = 0;
    const channel: Channel = {
      onmessage: null,
      postMessage: (data) => {
        for (const other of channels) if (other !== channel) other.onmessage?.({ data });
      },
      close: () => channels.delete(channel),
    };
    channels.add(channel);
    const shared = new SharedStream({
      channel,
      lock: (task) => {
        waiting.push(task);
        next();
      },
      open: ({ lastId, onEvent, onState }) => {
        opened.push({ lastId, emit: onEvent, state: onState });
        return {
          start: () => onState('open'),
          stop: () => undefined,
          retryNow: () => undefined,
        } as unknown as EventStream;
      },
      onEvent: (event) => events.push(event.data),
      onState: (state) => states.push(state),
      onReset: () => {
        resets += 1;
      },
    });
    shared.start();
    return { shared, events, states, resets: () => resets };
  };
  return { tab, opened };
}
const event = (id: string): StreamEvent => ({ id, type: 'message', data: id });
const settle = () => new Promise((done) => setTimeout(done, 0));

describe('SharedStream', () => {
  it('opens one stream for all tabs, and every tab hears every event', () => {
    const { tab, opened } = browser();
    const first = tab();
    const second = tab();
    expect(opened).toHaveLength(1);
    opened[0]?.emit(event('a'));
    expect(first.events).toEqual(['a']);
    expect(second.events).toEqual(['a']);
  });

  it('tells a tab that opens later how things stand, and lets it read its lists again', () => {
    const { tab, opened } = browser();
    tab();
    opened[0]?.emit(event('a'));
    const late = tab();
    expect(late.states).toEqual(['open']);
    expect(late.resets()).toBe(1);
  });

  it('goes on after the last event when the leading tab closes', async () => {
    const { tab, opened } = browser();
    const first = tab();
    opened[0]?.emit(event('a'));
    const second = tab();
    const third = tab();
    first.shared.stop();
    await settle();
    expect(opened).toHaveLength(2);
    expect(opened[1]?.lastId).toBe('a');
    opened[1]?.emit(event('b'));
    expect(second.events).toEqual(['b']);
    expect(third.events).toEqual(['b']);
  });

  it('does not lead once it is closed', async () => {
    const { tab, opened } = browser();
    const first = tab();
    const second = tab();
    second.shared.stop();
    first.shared.stop();
    await settle();
    expect(opened).toHaveLength(1);
  });

  it('shows a lost connection in every tab', () => {
    const { tab, opened } = browser();
    tab();
    const second = tab();
    opened[0]?.state('lost');
    expect(second.states.at(-1)).toBe('lost');
  });
});
