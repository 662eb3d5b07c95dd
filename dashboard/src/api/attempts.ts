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

export class Attempts {
  private request = '';
  private key = '';

  async call<O extends Operation>(
    operation: O,
    input: InputOf<O>,
    send: Send<O> = call as Send<O>,
  ): Promise<ResponseOf<O>> {
    const request = JSON.stringify([operation, input]);
    if (request !== this.request) {
      this.request = request;
      this.key = crypto.randomUUID();
    }
    try {
      const response = await send(operation, input, { idempotencyKey: this.key });
      this.request = '';
      return response;
    } catch (error) {
      if (!isTemporary(error)) this.request = '';
      throw error;
    }
  }
}

/** The attempts of one form, for as long as it is shown. */
export function useAttempts(): Attempts {
  const [attempts] = useState(() => new Attempts());
  return attempts;
}
