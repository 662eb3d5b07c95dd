export interface LinkPart {
  /** Where the part begins in the text. */
  at: number;
  text: string;
  href?: string;
}

const ADDRESS = /https?:\/\/[^\s<>"']+/gi;
/** Punctuation that ends a sentence, not an address. */
const TRAILING = /[.,;:!?)\]}]+$/;

/** Splits a text into words and web addresses. Only http and https become links. */
export function linkParts(text: string): LinkPart[] {
  const parts: LinkPart[] = [];
  let end = 0;
  for (const match of text.matchAll(ADDRESS)) {
    const address = match[0].replace(TRAILING, '');
    if (match.index > end) parts.push({ at: end, text: text.slice(end, match.index) });
    parts.push({ at: match.index, text: address, href: address });
    end = match.index + address.length;
  }
  if (end < text.length) parts.push({ at: end, text: text.slice(end) });
  return parts;
}
