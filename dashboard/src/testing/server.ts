/** A server for tests: answers by operation, keeps what it was asked, and serves an event stream. */
import type { Operation, ResponseOf } from '@/api/client';

export interface Asked {
  operation: string;
  path: string;
  query: URLSearchParams;
  body: unknown;
  headers: Headers;
}
type Answer = unknown | ((asked: Asked) => unknown);

type Reply<O extends Operation> = ResponseOf<O> | Refusal;

export class Refusal {
  readonly status: number;
  readonly error: Record<string, unknown>;
  constructor(status: number, error: Record<string, unknown>) {
    this.status = status;
    this.error = error;
  }
}

export class FakeServer {
  readonly asked: Asked[] = [];
  readonly unknown: string[] = [];
  private readonly answers: Array<{ operation: string; method: string; pattern: RegExp; answer: Answer }> =
    [];
  private stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  private isStreamRefused = false;

  /** A later answer to the same operation replaces an earlier one. */
  on<O extends Operation>(
    operation: O,
    answer: ResponseOf<O> | ((asked: Asked) => Reply<O> | Promise<Reply<O>>),
  ): this {
    const [method = '', template = ''] = operation.split(' ');
    const path = template.startsWith('/app/api/') ? template : `/app/api/v1${template}`;
    const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
    this.answers.unshift({ operation, method, pattern, answer });
    return this;
  }

  count(operation: Operation): number {
    return this.asked.filter((asked) => asked.operation === operation).length;
  }

  last(operation: Operation): Asked | undefined {
    return this.asked.findLast((asked) => asked.operation === operation);
  }

  /** Sends an event to the page. */
  emit(envelope: { event_id: string; event_type: string; data: unknown }): void {
    const frame = `id: ${envelope.event_id}\nevent: ${envelope.event_type}\ndata: ${JSON.stringify(envelope)}\n\n`;
    this.stream?.enqueue(new TextEncoder().encode(frame));
  }

  /** Sends a notice, which is not an event, to the page. */
  notice(name: string, data: unknown): void {
    this.stream?.enqueue(new TextEncoder().encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`));
  }

  /** Ends the event stream, and refuses every other one, as for a session that has ended. */
  refuseStream(): void {
    this.isStreamRefused = true;
    this.stream?.close();
  }

  fetch = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const address = new URL(String(input), 'http://frontdesk.test');
    if (address.pathname === '/app/api/stream') return this.openStream();
    const method = init.method ?? 'GET';
    const exact = (entry: { pattern: RegExp; operation: string }) => !entry.operation.includes('{');
    const fitting = this.answers.filter(
      (entry) => entry.method === method && entry.pattern.test(address.pathname),
    );
    const found = fitting.find(exact) ?? fitting[0];
    if (!found) {
      this.unknown.push(`${method} ${address.pathname}`);
      return json(404, { error: { code: 'not_found', message: 'Not found.', request_id: 'req_test' } });
    }
    const asked: Asked = {
      operation: found.operation,
      path: address.pathname,
      query: address.searchParams,
      body: typeof init.body === 'string' ? JSON.parse(init.body) : init.body,
      headers: new Headers(init.headers),
    };
    this.asked.push(asked);
    const answer = typeof found.answer === 'function' ? await found.answer(asked) : found.answer;
    if (answer instanceof Refusal)
      return json(answer.status, { error: { request_id: 'req_test', ...answer.error } });
    return json(200, answer);
  };

  private openStream(): Response {
    if (this.isStreamRefused) return json(401, { error: { code: 'unauthorized' } });
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.stream = controller;
      },
    });
    return new Response(body, { status: 200, headers: { 'content-type': 'text/event-stream' } });
  }
}

function json(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
}
