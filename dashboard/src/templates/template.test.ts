import { describe, expect, it } from 'vitest';
import type { Template } from '@/api/schema';
import { missingFields, preview, templateFields, toChoice } from './template';

const order: Template = {
  id: 't',
  name: 'order_update',
  language: 'en_US',
  category: 'UTILITY',
  status: 'APPROVED',
  placeholders: ['1', '2'],
  created_at: '',
  updated_at: '',
  components: [
    { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
    { type: 'BODY', text: 'Hello {{1}}, your order {{2}} is on its way, {{1}}.' },
    { type: 'FOOTER', text: 'Acme' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Thanks' },
        { type: 'URL', text: 'Track', url: 'https://acme.example/{{1}}' },
      ],
    },
  ],
};

describe('templates', () => {
  it('asks for every value once', () => {
    expect(templateFields(order).map((field) => field.key)).toEqual([
      'header',
      'body:1',
      'body:2',
      'button:1',
    ]);
  });
  it('asks for the file of a media header', () => {
    const withImage: Template = {
      ...order,
      placeholders: [],
      components: [
        { type: 'HEADER', format: 'IMAGE' },
        { type: 'BODY', text: 'Hi' },
      ],
    };
    expect(templateFields(withImage)).toEqual([{ key: 'header_media', kind: 'header_media', name: 'image' }]);
  });
  it('needs no file where the template has an example of its own', () => {
    const header = {
      type: 'HEADER',
      format: 'IMAGE',
      example: { header_handle: ['https://cdn.example/a.png'] },
    };
    const withExample: Template = { ...order, placeholders: [], components: [header] };
    expect(templateFields(withExample)).toEqual([
      { key: 'header_media', kind: 'header_media', name: 'image', optional: true },
    ]);
    expect(missingFields(withExample, {})).toEqual([]);
    expect(toChoice(withExample, {})).toEqual({ name: 'order_update', language: 'en_US' });
    const handle = { ...header, example: { header_handle: ['4::aW1hZ2U='] } };
    expect(missingFields({ ...withExample, components: [handle] }, {})).toHaveLength(1);
  });
  it('keeps the header apart from the first value of the body', () => {
    const shown = preview(order, { header: '17', 'body:1': 'Ann', 'body:2': 'A-17' });
    expect(shown).toEqual({
      header: 'Order 17',
      body: 'Hello Ann, your order A-17 is on its way, Ann.',
      footer: 'Acme',
      buttons: ['Thanks', 'Track'],
    });
  });
  it('leaves a placeholder without a value visible', () => {
    expect(preview(order, { 'body:1': ' ' }).body).toContain('Hello {{1}}');
  });
  it('names what is missing', () => {
    expect(
      missingFields(order, { header: 'x', 'body:1': 'a', 'body:2': '  ', 'button:1': 'b' }).map(
        (field) => field.key,
      ),
    ).toEqual(['body:2']);
  });
  it('makes the request in the order of the placeholders', () => {
    expect(
      toChoice(order, { header: '17', 'body:2': 'A-17', 'body:1': 'Ann', 'button:1': 'track/17' }),
    ).toEqual({
      name: 'order_update',
      language: 'en_US',
      body_params: ['Ann', 'A-17'],
      header_text: '17',
      button_params: { '1': 'track/17' },
    });
  });
});
