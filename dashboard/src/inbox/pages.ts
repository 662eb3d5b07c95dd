/** The pages that a website visitor was on. Pure. */

/** The address if it may be opened: of the web, and of nothing else. */
export function webAddress(url: string): string | undefined {
  return /^https?:\/\/[^/]/i.test(url) ? url : undefined;
}

/** How a page is written where there is little room: without the scheme, and without an empty path. */
export function shortAddress(url: string): string {
  return url.replace(/^https?:\/\//i, '').replace(/\/$/, '');
}
