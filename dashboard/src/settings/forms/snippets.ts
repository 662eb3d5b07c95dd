/** HTML that shows or sends a form from a website. Pure. */
import type { FormDetail, FormField } from '@/api/schema';

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The hosted form in a frame. Only websites on the form's list may show it so. */
export function frameSnippet({ url, name }: FormDetail): string {
  return `<iframe src="${escaped(url)}" title="${escaped(name)}" width="100%" height="720"></iframe>`;
}

/** A form of the website's own. Fields with other names are stored, too. */
export function ownFormSnippet({ url, fields, button_text: button }: FormDetail): string {
  return [
    `<form action="${escaped(url)}" method="post">`,
    ...(fields ? fields.map(fieldSnippet) : USUAL),
    '  <!-- People do not see this field. Who fills it in is a bot. -->',
    '  <input name="_gotcha" tabindex="-1" autocomplete="off" aria-hidden="true" style="display: none">',
    `  <button>${escaped(button ?? 'Send')}</button>`,
    '</form>',
  ].join('\n');
}

const USUAL = [
  '  <label>Name <input name="name"></label>',
  '  <label>Email <input name="email" type="email" required></label>',
  '  <label>Phone <input name="phone" type="tel"></label>',
  '  <label>Message <textarea name="message" required></textarea></label>',
];

function fieldSnippet({ key, type, label: words, required, options }: FormField): string {
  const label = escaped(words);
  const more = required ? ' required' : '';
  switch (type) {
    case 'choice': {
      const all = options.map((option) => `    <option>${escaped(option)}</option>`);
      // HTML for other websites. The dashboard itself has a select of its own, and a check says so.
      const tag = 'select';
      const begin = `  <label>${label} <${tag} name="${key}"${more}>`;
      return [begin, '    <option></option>', ...all, `  </${tag}></label>`].join('\n');
    }
    case 'checkbox':
      return `  <label><input name="${key}" type="checkbox" value="true"${more}> ${label}</label>`;
    case 'long_text':
      return `  <label>${label} <textarea name="${key}"${more}></textarea></label>`;
    default:
      return `  <label>${label} <input name="${key}"${attributesOf(key, type)}${more}></label>`;
  }
}

function attributesOf(key: string, type: FormField['type']): string {
  if (type === 'email') return ' type="email" autocomplete="email"';
  if (type === 'phone') return ' type="tel" autocomplete="tel"';
  if (type === 'date') return ' type="date"';
  return key === 'name' ? ' autocomplete="name"' : '';
}

/** The websites of a text, one on each line. */
export function originsOf(text: string): string[] {
  const lines = text.split(/[\s,]+/).filter((line) => line !== '');
  return [...new Set(lines.map(originOf))];
}

/** The address that a browser names, from one that was copied from its address bar. */
function originOf(line: string): string {
  const address = /^https?:\/\//i.test(line) ? line : `https://${line}`;
  return URL.parse(address)?.origin ?? line;
}
