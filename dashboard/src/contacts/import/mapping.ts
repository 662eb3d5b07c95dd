/** Which column of a file goes into which field of a contact. Pure. */
import type { ImportResult, ImportRow } from '@/api/app';
import type { CustomField, ImportError } from '@/api/schema';
import { t, tDynamic } from '@/i18n';
import { type CsvRow, writeCsv } from './csv';

export const TARGETS = ['name', 'first_name', 'last_name', 'phone', 'email', 'company', 'tags'] as const;
export type Target = (typeof TARGETS)[number] | `field:${string}` | 'skip';
/** One target per column. */
export type Mapping = Target[];

const NAMES: Record<(typeof TARGETS)[number], readonly string[]> = {
  name: ['name', 'full name', 'contact', 'display name', 'vollständiger name', 'kontakt'],
  first_name: ['first name', 'given name', 'firstname', 'vorname'],
  last_name: ['last name', 'family name', 'surname', 'lastname', 'nachname'],
  phone: [
    'phone',
    'phone number',
    'mobile',
    'mobile phone',
    'cell',
    'whatsapp',
    'telefon',
    'telefonnummer',
    'handy',
    'mobil',
    'phone 1 - value',
  ],
  email: ['email', 'e-mail', 'email address', 'mail', 'e-mail-adresse', 'e-mail 1 - value'],
  company: ['company', 'organisation', 'organization', 'account', 'firma', 'unternehmen'],
  tags: ['tags', 'tag', 'labels', 'label', 'groups', 'schlagwörter', 'etiketten'],
};

const SAMPLES_MAX = 3;

/** The first values of a column that are not empty. */
export function samples(rows: readonly CsvRow[], column: number): string[] {
  const found: string[] = [];
  for (const { cells } of rows) {
    if (found.length === SAMPLES_MAX) break;
    const cell = cells[column]?.trim();
    if (cell) found.push(cell);
  }
  return found;
}

/** A mapping to begin with, from the file's headings. Each field is taken once. */
export function guessMapping(headings: readonly string[], fields: readonly CustomField[]): Mapping {
  const taken = new Set<Target>();
  return headings.map((heading) => {
    const word = heading.trim().toLowerCase().replaceAll('_', ' ');
    const fixed = TARGETS.find((target) => NAMES[target].includes(word));
    const custom = fields.find((field) => field.name.toLowerCase() === word);
    const target: Target = fixed ?? (custom ? `field:${custom.id}` : 'skip');
    if (target === 'skip' || taken.has(target)) return 'skip';
    taken.add(target);
    return target;
  });
}

/** Targets that more than one column has. */
export function doubled(mapping: Mapping): Target[] {
  return [
    ...new Set(mapping.filter((target, index) => target !== 'skip' && mapping.indexOf(target) !== index)),
  ];
}

/** A row of the file as the import takes it. Empty cells leave a field as it is. */
export function toRow(row: CsvRow, mapping: Mapping): ImportRow {
  const result: ImportRow = { line: row.line };
  const fields: Record<string, string> = {};
  const names: Partial<Record<'first_name' | 'last_name', string>> = {};
  for (const [index, target] of mapping.entries()) {
    const value = (row.cells[index] ?? '').trim();
    if (value === '' || target === 'skip') continue;
    if (target === 'tags') result.tags = splitTags(value);
    else if (target === 'first_name' || target === 'last_name') names[target] = value;
    else if (target === 'name' || target === 'phone' || target === 'email' || target === 'company')
      result[target] = value;
    else fields[target.slice('field:'.length)] = value;
  }
  const joined = [names.first_name, names.last_name].filter(Boolean).join(' ');
  if (!result.name && joined) result.name = joined;
  if (Object.keys(fields).length > 0) result.custom_fields = fields;
  return result;
}

function splitTags(value: string): string[] {
  return [
    ...new Set(
      value
        .split(/[,;|]/)
        .map((tag) => tag.trim())
        .filter(Boolean),
    ),
  ];
}

/** Batches that stay below the server's limit on rows and on the size of a request. */
export function batches(rows: readonly ImportRow[], rowsMax: number, bytesMax: number): ImportRow[][] {
  const result: ImportRow[][] = [];
  let current: ImportRow[] = [];
  let size = 0;
  for (const row of rows) {
    const bytes = new TextEncoder().encode(JSON.stringify(row)).length + 1;
    if (current.length > 0 && (current.length >= rowsMax || size + bytes > bytesMax)) {
      result.push(current);
      current = [];
      size = 0;
    }
    current.push(row);
    size += bytes;
  }
  if (current.length > 0) result.push(current);
  return result;
}

/** The target that the path of a problem is about. */
function targetOf(path: string): Target | null {
  const [first, second] = path.split('.');
  if (first === 'custom_fields' && second) return `field:${second}`;
  return TARGETS.find((target) => target === first) ?? null;
}

/** The columns whose cells may be why a row was rejected: those that a problem names, and those that find its contact. */
export function columnsToCorrect(result: ImportResult, mapping: Mapping): number[] {
  const wanted = new Set<Target>(['phone', 'email']);
  for (const { path } of result.errors) {
    const target = targetOf(path);
    if (target) wanted.add(target);
  }
  return mapping.flatMap((target, index) => (wanted.has(target) ? [index] : []));
}

export function labelOf(target: Target, fields: readonly CustomField[]): string {
  return fields.find((field) => target === `field:${field.id}`)?.name ?? tDynamic('importTarget', target);
}

/** A problem in words: its field, the value, and what is wrong with it. */
export function problemText({ path, message, value }: ImportError, fields: readonly CustomField[]): string {
  const target = targetOf(path);
  const name = target ? labelOf(target, fields) : path;
  if (value === null) return name ? t('import.problem', { name, message }) : message;
  return t('import.problemValue', { name, value, message });
}

export interface Summary {
  created: number;
  updated: number;
  unchanged: number;
  rejected: number;
}

export function summarise(results: readonly ImportResult[]): Summary {
  const summary: Summary = { created: 0, updated: 0, unchanged: 0, rejected: 0 };
  for (const result of results) summary[result.outcome] += 1;
  return summary;
}

/** The rejected rows as a file that can be corrected and imported again: the reason is the last column. */
export function rejectedCsv(
  headings: readonly string[],
  rows: readonly CsvRow[],
  results: readonly ImportResult[],
  reasonHeading: string,
): string {
  const byLine = new Map(rows.map((row) => [row.line, row]));
  const lines = results
    .filter((result) => result.outcome === 'rejected')
    .map((result) => {
      const cells = byLine.get(result.line)?.cells ?? [];
      const reason = result.errors.map((error) => `${error.path}: ${error.message}`).join('; ');
      return [...headings.map((_, index) => cells[index] ?? ''), reason];
    });
  return writeCsv([[...headings, reasonHeading], ...lines]);
}
