/** What of a page does not fit its width. */
import type { Page } from 'playwright-core';

/**
 * Things to press that are outside of the window, areas that scroll sideways and are not meant to, and words that are cut
 * without a sign that there is more. Whatever is meant to scroll sideways says so by its class.
 */
export function misfits(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const { clientWidth: width, scrollWidth } = document.documentElement;
    if (scrollWidth > width) found.push(`the page is ${scrollWidth} wide`);
    const named = (part: Element) => {
      const words = (part.getAttribute('aria-label') ?? part.textContent ?? '').trim().replace(/\s+/g, ' ');
      return `${part.tagName.toLowerCase()} “${words.slice(0, 50)}”`;
    };
    const styles = (part: Element) => getComputedStyle(part);
    const isMeant = (part: Element) => /\boverflow(-x)?-auto\b/.test(part.getAttribute('class') ?? '');
    // Hidden from sight, and there for screen readers.
    const isUnseen = (part: Element) => {
      const { width: wide, height } = part.getBoundingClientRect();
      return wide <= 1 || height <= 1 || styles(part).visibility === 'hidden';
    };
    const scrolls = (part: Element | null): boolean => {
      for (let each = part; each && each !== document.body; each = each.parentElement)
        if (isMeant(each) && each.scrollWidth > each.clientWidth) return true;
      return false;
    };
    for (const part of document.querySelectorAll('body *')) {
      if (isUnseen(part)) continue;
      const { overflowX, textOverflow, webkitLineClamp } = styles(part);
      const isWider = part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0;
      if (isWider && ['auto', 'scroll'].includes(overflowX) && !isMeant(part))
        found.push(`${named(part)} scrolls sideways`);
      const hasWords = [...part.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim());
      if (
        isWider &&
        hasWords &&
        overflowX === 'hidden' &&
        textOverflow !== 'ellipsis' &&
        webkitLineClamp === 'none'
      )
        found.push(`${named(part)} is cut`);
      if (!part.matches('a, button, input, select, textarea, [role=button], [role=checkbox], [role=switch]'))
        continue;
      const { left, right } = part.getBoundingClientRect();
      if ((left < -1 || right > width + 1) && !scrolls(part.parentElement))
        found.push(`${named(part)} is outside of the window`);
    }
    return found;
  });
}
