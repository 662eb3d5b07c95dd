/**
 * Idempotency keys for a form. A key belongs to one request: the same request, tried again because no answer came, has
 * the same key and is carried out once. A request that was changed gets a new key, and so does one that the server has
 * answered: it stores its answer with the key, also when that is a refusal.
 */
import { useState } from 'react';
import { type CallOptions, call, type InputOf, isTemporary, type Operation, type ResponseOf } from './client';

type Send<O extends Operation> = (
  operation: O,
  input: InputOf<O>,
  options: CallOptions,
) => Promise<ResponseOf<O>>;

/** A request that has no response yet, by its fingerprint, and its key. */
export interface Attempt {
  request: string;
  key: string;
}

/** Where an attempt is kept: it may have to survive a reload. */
export interface AttemptMemory {
  load: () => Attempt | null;
  save: (attempt: Attempt | null) => void;
}

function inMemory(): AttemptMemory {
  let kept: Attempt | null = null;
  return {
    load: () => kept,
    save: (attempt) => {
      kept = attempt;
    },
  };
}

/** A short name for a request of any length (cyrb53). If two had the same, the server would refuse the second. */
function fingerprint(text: string): string {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return `${text.length}-${(b >>> 0).toString(36)}${(a >>> 0).toString(36)}`;
}

export class Attempts {
  private readonly memory: AttemptMemory;
  private readonly isOpen: (error: unknown) => boolean;

  /** `isOpen` says after which errors the request may still be carried out, and so keeps its key. */
  constructor(memory = inMemory(), isOpen = isTemporary) {
    this.memory = memory;
    this.isOpen = isOpen;
  }

  async call<O extends Operation>(
    operation: O,
    input: InputOf<O>,
    send: Send<O> = call as Send<O>,
  ): Promise<ResponseOf<O>> {
    const request = fingerprint(JSON.stringify([operation, input]));
    const before = this.memory.load();
    const { key } = before?.request === request ? before : { key: crypto.randomUUID() };
    this.memory.save({ request, key });
    try {
      const response = await send(operation, input, { idempotencyKey: key });
      this.memory.save(null);
      return response;
    } catch (error) {
      if (!this.isOpen(error)) this.memory.save(null);
      throw error;
    }
  }
}

/** The attempts of one form, for as long as it is shown, or as its memory lasts. */
export function useAttempts(...options: ConstructorParameters<typeof Attempts>): Attempts {
  const [attempts] = useState(() => new Attempts(...options));
  return attempts;
}
