import { beforeAll, describe, expect, it } from 'vitest';
import { loadLanguage, loadTexts } from '@/i18n';
import { parseCsv } from './csv';
import { CELL_CHARS_MAX, kindOf, withHeadings } from './readFile';

beforeAll(async () => {
  await loadLanguage();
  await loadTexts('contacts');
});

const bytes = (text: string) => new TextEncoder().encode(text);

describe('kindOf', () => {
  it('knows text, archives and other files by their first bytes', () => {
    expect(kindOf(bytes('name;phone\nJürgen;1'))).toBe('text');
    expect(kindOf(bytes('PK\u0003\u0004…'))).toBe('archive');
    expect(kindOf(bytes('%PDF-1.7 text'))).toBe('binary');
    expect(kindOf(new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0, 1]))).toBe('binary');
    expect(kindOf(new Uint8Array())).toBe('text');
  });
});

describe('withHeadings', () => {
  it('refuses a line of a million commas, and cuts rows to the headings', () => {
    const commas = ','.repeat(1_000_000);
    expect(() => withHeadings('x', parseCsv(`a${commas}\nb${commas}`))).toThrow('200 columns');
    const { headings, rows } = withHeadings('x', parseCsv(`a\nb${commas}x`, ','));
    expect([headings, rows]).toEqual([['a'], [{ line: 2, cells: ['b'] }]]);
  });
  it('cuts huge cells, and needs rows', () => {
    const { rows } = withHeadings('x', parseCsv(`a\n${'x'.repeat(500_000)}`));
    expect(rows[0]?.cells[0]).toHaveLength(CELL_CHARS_MAX);
    expect(() => withHeadings('x', parseCsv('a'))).toThrow();
  });
});
