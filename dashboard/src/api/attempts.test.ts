import { describe, expect, it, vi } from 'vitest';
import { Attempts } from './attempts';
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
});
