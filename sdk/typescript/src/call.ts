import type { RawResponse } from "./errors.js";
import { type ApiRequest, parse, type RequestOptions, type Transport } from "./transport.js";

/** The result of a call, with the response that it was read from. */
export interface WithResponse<T> {
  readonly data: T;
  readonly response: RawResponse;
}

/** A call under way: a promise of its result. */
export class Call<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = "Call";
  readonly #outcome: Promise<WithResponse<T>>;

  constructor(outcome: Promise<WithResponse<T>>) {
    this.#outcome = outcome;
  }

  /** The result together with the response: its status, headers, body and request id. */
  withResponse(): Promise<WithResponse<T>> {
    return this.#outcome;
  }

  // biome-ignore lint/suspicious/noThenProperty: a call is awaited like a promise
  then<A = T, B = never>(
    done?: ((data: T) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#outcome.then(({ data }) => data).then(done, failed);
  }

  catch<B = never>(failed?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, failed);
  }

  finally(done?: (() => void) | null): Promise<T> {
    return this.then().finally(done);
  }
}

/** Sends a request whose response is `{ data }`. */
export function call<T>(transport: Transport, request: ApiRequest, options?: RequestOptions): Call<T> {
  const outcome = transport.send(request, options).then((response) => {
    const { data } = parse(response) as { data: T };
    return { data, response };
  });
  return new Call(outcome);
}

/** Sends a file, as the part `file` of a form. */
export function upload<T>(
  transport: Transport,
  path: readonly string[],
  file: Blob,
  name: string | undefined,
  options?: RequestOptions,
): Call<T> {
  const body = new FormData();
  const known = name ?? (file instanceof File ? file.name : undefined);
  body.append("file", file, known ?? "file");
  return call(transport, { method: "POST", path, body }, options);
}
