/**
 * The events that the log on the page shows: the newest of what the stream brought, at most `EVENTS_KEPT_MAX`. Events
 * are collected only while the log is open. A list is never changed: every change makes a new one, so that React sees it.
 */
import type { Event } from '@/api/schema';

export const EVENTS_KEPT_MAX = 1_000;

export interface LogSnapshot {
  /** The newest first. */
  events: readonly Event[];
  paused: boolean;
  /** Events that came during the pause. */
  waiting: number;
}

const EMPTY: LogSnapshot = { events: [], paused: false, waiting: 0 };

const byTime = (a: Event, b: Event) =>
  b.created_at.localeCompare(a.created_at) || b.event_id.localeCompare(a.event_id);

export class EventLog {
  private snapshot = EMPTY;
  /** What came during the pause, the newest first. */
  private held: readonly Event[] = [];
  private readonly listeners = new Set<() => void>();

  /** Begins to collect; nobody collects any more when the last listener is gone. */
  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.clear();
    };
  };

  read = (): LogSnapshot => this.snapshot;

  /** Takes events of the stream, the oldest first. */
  push(events: readonly Event[]): void {
    if (this.listeners.size === 0 || events.length === 0) return;
    const newest = events.toReversed();
    if (this.snapshot.paused) {
      this.held = [...newest, ...this.held].slice(0, EVENTS_KEPT_MAX);
      this.write({ waiting: this.snapshot.waiting + events.length });
    } else this.write({ events: [...newest, ...this.snapshot.events].slice(0, EVENTS_KEPT_MAX) });
  }

  /** Takes events that the server had before, in any order. Those that are here already are not taken twice. */
  addStored(events: readonly Event[]): void {
    const known = new Set([...this.snapshot.events, ...this.held].map((event) => event.event_id));
    const unknown = events.filter((event) => !known.has(event.event_id));
    if (unknown.length === 0) return;
    this.write({ events: [...this.snapshot.events, ...unknown].sort(byTime).slice(0, EVENTS_KEPT_MAX) });
  }

  pause(): void {
    this.write({ paused: true });
  }

  resume(): void {
    const events = [...this.held, ...this.snapshot.events].slice(0, EVENTS_KEPT_MAX);
    this.held = [];
    this.write({ events, paused: false, waiting: 0 });
  }

  clear(): void {
    this.held = [];
    this.write(EMPTY);
  }

  private write(change: Partial<LogSnapshot>): void {
    this.snapshot = { ...this.snapshot, ...change };
    for (const listener of this.listeners) listener();
  }
}

/** The log of this page. The stream's handler fills it. */
export const eventLog = new EventLog();

const texts = new WeakMap<Event, string>();

/** The payload in one line, in small letters. It is made once: the search looks at every event again and again. */
function searchText(event: Event): string {
  let text = texts.get(event);
  if (text === undefined) {
    text = JSON.stringify(event).toLowerCase();
    texts.set(event, text);
  }
  return text;
}

export interface EventFilter {
  type?: string | undefined;
  words: string;
}

export function filterEvents(events: readonly Event[], { type, words }: EventFilter): readonly Event[] {
  const wanted = words.trim().toLowerCase();
  if (!type && wanted === '') return events;
  return events.filter(
    (event) => (!type || event.event_type === type) && (wanted === '' || searchText(event).includes(wanted)),
  );
}
