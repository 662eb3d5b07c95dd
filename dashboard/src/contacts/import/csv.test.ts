import { describe, expect, it } from 'vitest';
import { decodeFile, findSeparator, parseCsv, writeCsv } from './csv';

const cells = (text: string) => parseCsv(text).map((row) => row.cells);

describe('parseCsv', () => {
  it('reads quotes, separators and line breaks within cells', () => {
    expect(cells('name,note\r\n"Lee, Ann","said ""hi""\nand left"\r\nBo,\r\n')).toEqual([
      ['name', 'note'],
      ['Lee, Ann', 'said "hi"\nand left'],
      ['Bo', ''],
    ]);
  });
  it('counts lines of the file, not rows', () => {
    expect(parseCsv('a\n"x\ny"\n\nz').map((row) => row.line)).toEqual([1, 2, 5]);
  });
  it('drops the byte order mark and empty lines', () => {
    expect(cells('\uFEFFname\n\n ,\nAnn')).toEqual([['name'], ['Ann']]);
  });
  it('keeps a quote in the middle of a cell', () => {
    expect(cells('5" pipe,x')).toEqual([['5" pipe', 'x']]);
  });
});

describe('findSeparator', () => {
  it('recognises what spreadsheets write, and ignores quoted cells', () => {
    expect(findSeparator('a;b;c\n1,2')).toBe(';');
    expect(findSeparator('a\tb')).toBe('\t');
    expect(findSeparator('"a;b;c",d')).toBe(',');
  });
});

describe('writeCsv', () => {
  it('is read back as it was', () => {
    const rows = [
      ['a', 'b,c', 'say "x"'],
      ['1', 'two\nlines', ''],
    ];
    expect(cells(writeCsv(rows))).toEqual(rows);
  });
  it('disarms formulas but leaves numbers and phones alone', () => {
    expect(writeCsv([['=1+1', '+49 170 1234567', '-5', '@x']])).toBe("'=1+1,+49 170 1234567,-5,'@x");
  });
});

it('reads a file that an old spreadsheet has written', () => {
  expect(decodeFile(new Uint8Array([0x4d, 0xfc, 0x6c, 0x6c, 0x65, 0x72]).buffer)).toBe('Müller');
  expect(decodeFile(new TextEncoder().encode('Müller').buffer as ArrayBuffer)).toBe('Müller');
});
