/** A stream of made-up events at a steady rate, on this machine, in place of the server's. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const TICK_MS = 10;
const CONTACTS = 5_000;

export interface Burst {
  url: string;
  /** Sends events for a time, and returns the number of the last one. */
  send: (perSecond: number, seconds: number) => Promise<number>;
  close: () => void;
}

function eventOf(number: number) {
  const at = new Date().toISOString();
  const contact = {
    id: `contact-${number % CONTACTS}`,
    name: `Customer ${number}`,
    phone: null,
    email: null,
    company: 'Oak & Sons',
    avatar_url: null,
    tags: [],
    custom_fields: [],
    created_at: at,
    updated_at: at,
  };
  const envelope = { account_id: 'a', api_version: 'v1', created_at: at, data: { contact } };
  return { event_id: eventId(number), event_type: 'contact.updated', ...envelope };
}

export const eventId = (number: number) => `evt_${number.toString(16).padStart(32, '0')}`;

export async function startBurst(): Promise<Burst> {
  const streams = new Set<(text: string) => void>();
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'access-control-allow-origin': '*' });
    response.write(': hello\n\n');
    const write = (text: string) => void response.write(text);
    streams.add(write);
    request.on('close', () => streams.delete(write));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  let last = 0;
  const send = (perSecond: number, seconds: number) =>
    new Promise<number>((done) => {
      const [began, before] = [performance.now(), last];
      const timer = setInterval(() => {
        const elapsed = Math.min((performance.now() - began) / 1_000, seconds);
        let text = '';
        // A late tick makes up for what it missed.
        while (last - before < Math.floor(elapsed * perSecond)) {
          last += 1;
          const event = eventOf(last);
          text += `id: ${event.event_id}\nevent: ${event.event_type}\ndata: ${JSON.stringify(event)}\n\n`;
        }
        for (const write of streams) write(text);
        if (elapsed < seconds) return;
        clearInterval(timer);
        done(last);
      }, TICK_MS);
    });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    send,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
