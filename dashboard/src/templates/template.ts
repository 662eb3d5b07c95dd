/** WhatsApp templates: which values one needs, and how it reads with them. Pure. */
import type { Template, TemplateChoice } from '@/api/schema';

interface Component {
  type: string;
  format?: string;
  text?: string;
  buttons?: Array<{ type: string; text?: string; url?: string }>;
  example?: { header_handle?: string[] };
}

export interface TemplateField {
  /** `body:1`, `header`, `header_media`, `button:0`. */
  key: string;
  kind: 'body' | 'header_text' | 'header_media' | 'button';
  /** The placeholder's own name in the body, or the button's text. */
  name: string;
  /** The template has a value of its own, which is sent when none is given. */
  optional?: true;
}

const PLACEHOLDER = /\{\{\s*([^{}\s]+)\s*\}\}/g;
const MEDIA_FORMATS = new Set(['IMAGE', 'VIDEO', 'DOCUMENT']);

function components(template: Template): Component[] {
  return Array.isArray(template.components) ? (template.components as Component[]) : [];
}

function part(template: Template, type: string): Component | undefined {
  return components(template).find((component) => component.type.toUpperCase() === type);
}

function placeholders(text: string | undefined): string[] {
  return [...new Set([...(text ?? '').matchAll(PLACEHOLDER)].map((match) => match[1] ?? ''))];
}

export function templateFields(template: Template): TemplateField[] {
  const fields: TemplateField[] = [];
  const header = part(template, 'HEADER');
  if (header?.format && MEDIA_FORMATS.has(header.format)) {
    const hasExample = /^https?:/.test(header.example?.header_handle?.[0] ?? '');
    fields.push({
      key: 'header_media',
      kind: 'header_media',
      name: header.format.toLowerCase(),
      ...(hasExample && { optional: true }),
    });
  } else if (placeholders(header?.text).length > 0) {
    fields.push({ key: 'header', kind: 'header_text', name: placeholders(header?.text)[0] ?? '1' });
  }
  for (const name of template.placeholders) fields.push({ key: `body:${name}`, kind: 'body', name });
  for (const [index, button] of (part(template, 'BUTTONS')?.buttons ?? []).entries()) {
    const needsValue =
      button.type === 'COPY_CODE' || (button.type === 'URL' && placeholders(button.url).length > 0);
    if (needsValue)
      fields.push({ key: `button:${index}`, kind: 'button', name: button.text ?? String(index + 1) });
  }
  return fields;
}

export type TemplateValues = Record<string, string>;

/** Fields that still need a value. */
export function missingFields(template: Template, values: TemplateValues): TemplateField[] {
  return templateFields(template).filter(
    (field) => !field.optional && (values[field.key] ?? '').trim() === '',
  );
}

/** What POST /messages takes. */
export function toChoice(template: Template, values: TemplateValues): TemplateChoice {
  const fields = templateFields(template);
  const body = fields.filter((field) => field.kind === 'body').map((field) => values[field.key] ?? '');
  const buttons = fields.filter((field) => field.kind === 'button');
  return {
    name: template.name,
    language: template.language,
    ...(body.length > 0 && { body_params: body }),
    ...(values.header && { header_text: values.header }),
    ...(values.header_media && { header_media_url: values.header_media }),
    ...(buttons.length > 0 && {
      button_params: Object.fromEntries(
        buttons.map((field) => [field.key.slice('button:'.length), values[field.key] ?? '']),
      ),
    }),
  };
}

export interface TemplatePreview {
  header: string | null;
  body: string;
  footer: string | null;
  buttons: string[];
}

/** The message as the customer will read it. A placeholder without a value stays visible. */
export function preview(template: Template, values: TemplateValues): TemplatePreview {
  const fill = (text: string | undefined, key: (name: string) => string) =>
    (text ?? '').replace(PLACEHOLDER, (whole, name: string) => values[key(name)]?.trim() || whole);
  return {
    header: part(template, 'HEADER')?.text ? fill(part(template, 'HEADER')?.text, () => 'header') : null,
    body: fill(part(template, 'BODY')?.text, (name) => `body:${name}`),
    footer: part(template, 'FOOTER')?.text ?? null,
    buttons: (part(template, 'BUTTONS')?.buttons ?? []).map((button) => button.text ?? ''),
  };
}
