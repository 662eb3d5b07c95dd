import { expect, it } from 'vitest';
import { SIGNING, SIGNING_LANGUAGES, signedSnippet } from './identity';

it('adds the user to the snippet, and changes nothing else', () => {
  expect(
    signedSnippet('<script src="https://d.example/widget.js" data-connection="c1" async></script>'),
  ).toBe(
    '<script src="https://d.example/widget.js" data-connection="c1" data-user-id="USER_ID" data-user-hash="USER_HASH" async></script>',
  );
});

it('has a sample in each language, and none contains a secret', () => {
  for (const language of SIGNING_LANGUAGES) {
    expect(SIGNING[language]).toMatch(/sha256/);
    expect(SIGNING[language]).toContain('FRONTDESK_IDENTITY_SECRET');
  }
});
