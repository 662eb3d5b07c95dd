import { expect, it } from 'vitest';
import { linkParts } from './links';

const parts = (text: string) => linkParts(text).map(({ at: _, ...part }) => part);

it('finds addresses and leaves the punctuation of the sentence out', () => {
  expect(parts('See https://acme.example/a?b=1, or (http://x.example).')).toEqual([
    { text: 'See ' },
    { text: 'https://acme.example/a?b=1', href: 'https://acme.example/a?b=1' },
    { text: ', or (' },
    { text: 'http://x.example', href: 'http://x.example' },
    { text: ').' },
  ]);
});
it('makes no link of other schemes', () => {
  expect(parts('javascript:alert(1) data:text/html,x')).toEqual([
    { text: 'javascript:alert(1) data:text/html,x' },
  ]);
});
