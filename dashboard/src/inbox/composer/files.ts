/** Files chosen for a reply that is not sent yet, per conversation. They live as long as the page. */
import type { OutgoingFile } from '../outbox/outgoing';

export interface ChosenFile extends OutgoingFile {
  /** Absent when the server has the file already. */
  onDevice?: File | undefined;
}

const NONE: readonly ChosenFile[] = [];

export class ChosenFiles {
  private readonly files = new Map<string, readonly ChosenFile[]>();
  private readonly listeners = new Set<() => void>();

  get = (conversationId: string): readonly ChosenFile[] => this.files.get(conversationId) ?? NONE;

  set(conversationId: string, files: readonly ChosenFile[]): void {
    if (files.length > 0) this.files.set(conversationId, files);
    else this.files.delete(conversationId);
    for (const listener of this.listeners) listener();
  }

  add(conversationId: string, files: readonly ChosenFile[]): void {
    this.set(conversationId, [...this.get(conversationId), ...files]);
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
}
