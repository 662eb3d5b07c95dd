/**
 * Hands items on in batches. The first item after a quiet time is handed on at once, with everything else that arrived
 * in the same piece of the stream; what follows soon after is collected. So one message is on screen without delay, and
 * ten thousand in a minute cost a few updates per second.
 */
export interface BatchesOptions<T> {
  take: (items: T[]) => void;
  schedule: (task: () => void, milliseconds: number) => () => void;
}

/** The time after a batch until the next: one frame at first, longer with every batch of a burst. */
export const GAP_MS_MIN = 16;
export const GAP_MS_MAX = 128;

export class Batches<T> {
  private readonly options: BatchesOptions<T>;
  private waiting: T[] = [];
  /** A batch was handed on a moment ago, or is about to be. */
  private busy = false;
  private gap = GAP_MS_MIN;
  private stopped = false;
  private cancelTimer: () => void = () => undefined;

  constructor(options: BatchesOptions<T>) {
    this.options = options;
  }

  push(item: T): void {
    if (this.stopped) return;
    this.waiting.push(item);
    if (this.busy) return;
    this.busy = true;
    // The other events of the same piece are pushed before the microtask runs.
    queueMicrotask(() => this.hand());
  }

  stop(): void {
    this.stopped = true;
    this.waiting = [];
    this.cancelTimer();
  }

  private hand(): void {
    if (this.stopped) return;
    if (this.waiting.length === 0) {
      this.busy = false;
      this.gap = GAP_MS_MIN;
      return;
    }
    const items = this.waiting;
    this.waiting = [];
    this.cancelTimer = this.options.schedule(() => this.hand(), this.gap);
    this.gap = Math.min(2 * this.gap, GAP_MS_MAX);
    this.options.take(items);
  }
}
