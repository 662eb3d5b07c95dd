import { expect, it } from 'vitest';
import { snippetWith, USUAL_SETTINGS } from './snippet';

const SNIPPET = '<script src="https://desk.example/widget.js" data-connection="c1" async></script>';

it('leaves the snippet as it is with the usual settings', () => {
  expect(snippetWith(SNIPPET, USUAL_SETTINGS)).toBe(SNIPPET);
});

it('adds what was chosen', () => {
  expect(snippetWith(SNIPPET, { title: ' Ask us ', color: '#b45309' })).toBe(
    '<script src="https://desk.example/widget.js" data-connection="c1" data-title="Ask us" data-color="#b45309" async></script>',
  );
});

it('lets no title break out of its attribute', () => {
  const made = snippetWith(SNIPPET, { title: '"><script>$& alert(1)', color: '' });
  expect(made).toContain('data-title="&quot;&gt;&lt;script&gt;$&amp; alert(1)" async>');
});
