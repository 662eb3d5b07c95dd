import { expect, it } from 'vitest';
import type { FormDetail } from '@/api/schema';
import { frameSnippet, originsOf, ownFormSnippet } from './snippets';

const form: FormDetail = {
  id: 'f1',
  name: 'Contact "us"',
  url: 'https://desk.example/forms/abc',
  redirect_url: null,
  origins: [],
  fields: null,
  button_text: null,
  thanks_text: null,
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

it('has the fields of the form, with everything escaped', () => {
  const field = { type: 'text' as const, required: false, options: [] };
  const html = ownFormSnippet({
    ...form,
    button_text: 'Ask <us>',
    fields: [
      { ...field, key: 'email', type: 'email', label: 'Your email', required: true },
      { ...field, key: 'size', type: 'choice', label: 'Size "x"', options: ['S & M'] },
      { ...field, key: 'terms', type: 'checkbox', label: 'I agree', required: true },
    ],
  });
  expect(html).toContain(
    '<label>Your email <input name="email" type="email" autocomplete="email" required></label>',
  );
  expect(html).toContain('<label>Size &quot;x&quot; <select name="size">');
  expect(html).toContain('<option>S &amp; M</option>');
  expect(html).toContain('<input name="terms" type="checkbox" value="true" required> I agree');
  expect(html).toContain('<button>Ask &lt;us&gt;</button>');
  expect(html).not.toContain('name="message"');
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
