import { expect, it } from 'vitest';
import type { FormDetail } from '@/api/schema';
import { frameSnippet, originsOf, ownFormSnippet } from './snippets';

const form: FormDetail = {
  id: 'f1',
  name: 'Contact "us"',
  url: 'https://desk.example/forms/abc',
  redirect_url: null,
  origins: [],
  created_at: '2026-01-31T09:30:00.000Z',
};

it('shows the hosted form in a frame with its name', () => {
  expect(frameSnippet(form)).toBe(
    '<iframe src="https://desk.example/forms/abc" title="Contact &quot;us&quot;" width="100%" height="720"></iframe>',
  );
});

it('sends a form of the website’s own to the form’s address', () => {
  expect(ownFormSnippet(form)).toContain('<form action="https://desk.example/forms/abc" method="post">');
  expect(ownFormSnippet(form)).toContain('name="_gotcha"');
});

it('takes websites as people write them', () => {
  expect(originsOf('example.com\nhttps://Shop.example/contact?x=1, http://localhost:3000')).toEqual([
    'https://example.com',
    'https://shop.example',
    'http://localhost:3000',
  ]);
  expect(originsOf(' example.com https://example.com ')).toEqual(['https://example.com']);
  expect(originsOf('')).toEqual([]);
});
