/** A program of a customer that receives webhooks, on this machine. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  headers: Record<string, string>;
  body: string;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** What it answers from now on. */
  answerWith: (status: number, body: string) => void;
  close: () => void;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let answer = { status: 200, body: 'ok' };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => {
      body += part.toString();
    });
    request.on('end', () => {
      received.push({ headers: request.headers as Record<string, string>, body });
      response.statusCode = answer.status;
      response.end(answer.body);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answerWith: (status, body) => {
      answer = { status, body };
    },
    close: () => server.close(),
  };
}
