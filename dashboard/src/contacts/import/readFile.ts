/** Reads the rows of a file that somebody has chosen: CSV here, a spreadsheet on the server. */
import { call } from '@/api/client';
import { t } from '@/i18n';
import { type CsvRow, decodeFile, parseCsv } from './csv';

export interface ImportFile {
  name: string;
  headings: string[];
  rows: CsvRow[];
}

/** Beyond this a browser would freeze. */
const FILE_BYTES_MAX = 20 << 20;
/** What the server takes of a spreadsheet. */
const SPREADSHEET_BYTES_MAX = 700 << 10;
export const COLUMNS_MAX = 200;
/** No field takes as many characters; the rest of a cell is cut off. */
export const CELL_CHARS_MAX = 2_000;
const SNIFFED_BYTES = 8_192;

/** Why a file cannot be read, in words for the person who has chosen it. */
export class UnreadableFile extends Error {}

export type FileKind = 'text' | 'archive' | 'binary';

/** What a file is, by its first bytes: spreadsheets are archives, and text has no zeros. */
export function kindOf(bytes: Uint8Array): FileKind {
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return 'archive';
  const start = bytes.subarray(0, SNIFFED_BYTES);
  const isPdf = new TextDecoder('latin1').decode(start.subarray(0, 5)) === '%PDF-';
  return isPdf || start.includes(0) ? 'binary' : 'text';
}

export async function readFile(file: File): Promise<ImportFile> {
  if (file.size > FILE_BYTES_MAX) throw new UnreadableFile(t('import.tooLarge'));
  const buffer = await file.arrayBuffer();
  const kind = kindOf(new Uint8Array(buffer));
  if (kind === 'binary') throw new UnreadableFile(t('import.binary'));
  if (kind === 'archive') return readSpreadsheet(file.name, buffer);
  return withHeadings(file.name, parseCsv(decodeFile(buffer)));
}

async function readSpreadsheet(name: string, buffer: ArrayBuffer): Promise<ImportFile> {
  if (buffer.byteLength > SPREADSHEET_BYTES_MAX) throw new UnreadableFile(t('import.spreadsheetTooLarge'));
  const body = { content: base64(new Uint8Array(buffer)) };
  const { data } = await call('POST /app/api/contacts/import/spreadsheet', { body });
  return withHeadings(`${name} (${data.sheet})`, data.rows);
}

function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += SNIFFED_BYTES) {
    text += String.fromCharCode(...bytes.subarray(at, at + SNIFFED_BYTES));
  }
  return btoa(text);
}

/** The first row names the columns. Cells without a heading are left out. */
export function withHeadings(name: string, [first, ...rows]: CsvRow[]): ImportFile {
  if (first === undefined || rows.length === 0) throw new UnreadableFile(t('import.unreadable'));
  if (first.cells.length > COLUMNS_MAX)
    throw new UnreadableFile(t('import.tooManyColumns', { max: COLUMNS_MAX }));
  const width = first.cells.length;
  return {
    name,
    headings: first.cells.map((cell) => cell.trim().slice(0, CELL_CHARS_MAX)),
    rows: rows.map(({ line, cells }) => ({
      line,
      cells: cells.slice(0, width).map((cell) => cell.slice(0, CELL_CHARS_MAX)),
    })),
  };
}
