/** Websites of customers, for what they show of Frontdesk. */
import { createServer, type OutgoingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

/** Returns a function that starts a website with this content on every page: its address. They end with the file. */
export function useWebsites() {
  const sites: Server[] = [];
  afterAll(() => {
    for (const site of sites) site.close();
  });
  return async (html: () => string, headers: OutgoingHttpHeaders = {}): Promise<string> => {
    const site = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers });
      const head = '<title>Shop</title><link rel="icon" href="data:,">';
      response.end(`<!doctype html><html><head>${head}</head><body><h1>Shop</h1>${html()}</body></html>`);
    });
    sites.push(site);
    await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  };
}
