/**
 * The files of the page, kept so that it opens without a connection. Nothing of an account is ever kept here: calls of the
 * API pass by.
 *
 * A page is always asked for first, so whoever has a connection gets the newest version. Files with their content's hash
 * in their name never change, so a kept one is as good.
 */

const CACHE_PREFIX = 'frontdesk-shell-';
/** The newest, and the one before: pages that were opened before an update still find the files they load later. */
const VERSIONS_KEPT = 2;
const ROOT = '/app/';
const PAGE = `${ROOT}index.html`;
const API = `${ROOT}api`;
const ASSETS = `${ROOT}assets/`;

export type Kind = 'page' | 'asset' | 'other';

/** How a request is treated. Everything that may be personal is `other`, and is not touched. */
export function kindOf({ method, mode }: Pick<Request, 'method' | 'mode'>, url: URL, origin: string): Kind {
  if (method !== 'GET' || url.origin !== origin) return 'other';
  const isApi = url.pathname === API || url.pathname.startsWith(`${API}/`);
  if (isApi) return 'other';
  if (url.pathname.startsWith(ASSETS)) return 'asset';
  return mode === 'navigate' && (url.pathname === '/app' || url.pathname.startsWith(ROOT)) ? 'page' : 'other';
}

/** The caches that an update deletes, of all in the order of their making. */
export function outdated(names: readonly string[], current: string): string[] {
  const ours = names.filter((name) => name.startsWith(CACHE_PREFIX) && name !== current);
  return ours.slice(0, Math.max(0, ours.length - (VERSIONS_KEPT - 1)));
}

export class Shell {
  private readonly caches: CacheStorage;
  private readonly name: string;
  private readonly files: readonly string[];

  constructor(caches: CacheStorage, version: string, files: readonly string[]) {
    this.caches = caches;
    this.name = CACHE_PREFIX + version;
    this.files = files;
  }

  /** Loads everything, or fails: a version that lacks a file is not taken up. */
  async install(): Promise<void> {
    const cache = await this.caches.open(this.name);
    const page = new Request(PAGE, { cache: 'reload' });
    await cache.addAll([page, ...this.files.map((file) => ROOT + file)]);
  }

  async activate(): Promise<void> {
    const names = await this.caches.keys();
    await Promise.all(outdated(names, this.name).map((name) => this.caches.delete(name)));
  }

  /** The page from the server; without a connection, the kept one. */
  async page(request: Request): Promise<Response> {
    try {
      return await fetch(request);
    } catch (error) {
      const kept = await this.caches.match(PAGE);
      if (kept) return kept;
      throw error;
    }
  }

  async asset(request: Request): Promise<Response> {
    const kept = await this.caches.match(request);
    if (kept) return kept;
    const response = await fetch(request);
    if (response.ok) {
      const copy = response.clone();
      const cache = await this.caches.open(this.name);
      // No room is no reason to fail.
      await cache.put(request, copy).catch(() => undefined);
    }
    return response;
  }
}
