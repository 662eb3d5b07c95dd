import { describe, expect, it, vi } from 'vitest';
import { type Attempt, Attempts } from './attempts';
import type { CallOptions } from './client';
import { ApiError, unreachable } from './errors';

const refused = (status: number) => new ApiError({ status, code: 'conflict', message: 'No.' });

describe('Attempts', () => {
  /** Sends requests whose outcomes are given, and returns the keys they had. */
  async function keysOf(...tries: Array<[name: string, error: unknown]>): Promise<string[]> {
    const attempts = new Attempts();
    const keys: string[] = [];
    for (const [name, error] of tries) {
      const send = vi.fn(async (_operation: unknown, _input: unknown, options: CallOptions) => {
        keys.push(options.idempotencyKey ?? '');
        if (error) throw error;
        return { data: {} } as never;
      });
      await attempts.call('POST /contacts', { body: { name } }, send).catch(() => undefined);
    }
    return keys;
  }
  const isSame = ([first, second]: string[]) => first !== '' && first === second;

  it('keep the key of a request that got no answer, or an error of the server', async () => {
    expect(isSame(await keysOf(['Ann', unreachable()], ['Ann', null]))).toBe(true);
    expect(isSame(await keysOf(['Ann', refused(503)], ['Ann', null]))).toBe(true);
  });

  it('give a changed request a new key, whatever came of the one before', async () => {
    for (const error of [unreachable(), refused(409), refused(503)]) {
      expect(isSame(await keysOf(['Ann', error], ['Anna', null]))).toBe(false);
    }
  });

  it('give a refused request a new key: the server has stored the refusal', async () => {
    for (const status of [404, 409, 422]) {
      expect(isSame(await keysOf(['Ann', refused(status)], ['Ann', null]))).toBe(false);
    }
  });

  it('give the same request a new key once it was carried out', async () => {
    expect(isSame(await keysOf(['Ann', null], ['Ann', null]))).toBe(false);
  });

  it('keep the key over a reload where their memory does', async () => {
    let kept: Attempt | null = null;
    const memory = {
      load: () => kept,
      save: (attempt: Attempt | null) => {
        kept = attempt;
      },
    };
    const keys: string[] = [];
    const send = (error: unknown) => async (_operation: unknown, _input: unknown, options: CallOptions) => {
      keys.push(options.idempotencyKey ?? '');
      if (error) throw error;
      return { data: {} } as never;
    };
    const input = { body: { name: 'Ann' } };
    await new Attempts(memory).call('POST /contacts', input, send(unreachable())).catch(() => undefined);
    // The response of the first may still be under way: that keeps the key for whoever says so.
    const isOpen = () => true;
    await new Attempts(memory, isOpen)
      .call('POST /contacts', input, send(refused(409)))
      .catch(() => undefined);
    await new Attempts(memory).call('POST /contacts', input, send(null));
    expect(new Set(keys).size).toBe(1);
    expect(kept).toBeNull();
  });
});
