/** Brings the setup of an exported file into this account. What has the same name here already stays as it is. */
import { describeError } from '@/api/describe';
import type { ExportFile, Kind } from './exports';

/** The kinds that stand alone, in an order in which they can be made. */
export const IMPORTABLE = ['tags', 'custom_fields', 'pipelines', 'canned_replies', 'instructions'] as const;
export type Importable = (typeof IMPORTABLE)[number];

export const FILE_BYTES_MAX = 50 * 1_024 * 1_024;

type Row = Record<string, unknown>;

/** What a row is told apart by, and what of it is sent. */
const SHAPES: Record<Importable, { name: string; body: (row: Row) => Row }> = {
  tags: { name: 'name', body: ({ name, color }) => ({ name, color }) },
  custom_fields: { name: 'name', body: ({ name, type, options }) => ({ name, type, options }) },
  pipelines: {
    name: 'name',
    body: ({ name, stages }) => ({
      name,
      stages: (Array.isArray(stages) ? (stages as Row[]) : []).map((stage) => ({
        name: stage.name,
        probability: stage.probability,
      })),
    }),
  },
  canned_replies: { name: 'shortcut', body: ({ shortcut, body }) => ({ shortcut, body }) },
  instructions: { name: 'title', body: ({ title, body }) => ({ title, body }) },
};

export type ImportFile = Partial<Record<Importable, Row[]>>;

export class UnreadableExport extends Error {}

/** The rows of a file that can be imported. */
export function parseExport(text: string): ImportFile {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new UnreadableExport('not JSON');
  }
  const lists = (parsed ?? {}) as Partial<Record<Kind, unknown>>;
  const file: ImportFile = {};
  for (const kind of IMPORTABLE) {
    const rows = lists[kind];
    if (!Array.isArray(rows)) continue;
    const named = rows.filter(
      (row): row is Row => typeof (row as Row | null)?.[SHAPES[kind].name] === 'string',
    );
    if (named.length > 0) file[kind] = named;
  }
  if (Object.keys(file).length === 0) throw new UnreadableExport('nothing that can be imported');
  return file;
}

export interface ImportOutcome {
  created: number;
  /** They are here already. */
  kept: number;
  failed: Array<{ kind: Importable; name: string; why: string }>;
}

export interface ImportSteps {
  existing: ExportFile;
  create: (kind: Importable, body: Row) => Promise<unknown>;
  onRow: (done: number) => void;
}

const nameIn = (kind: Importable, row: Row) => String(row[SHAPES[kind].name]);
const folded = (name: string) => name.trim().toLocaleLowerCase();

/** Creates what is missing, one after the other. A row that is refused does not hold up the others. */
export async function runImport(file: ImportFile, steps: ImportSteps): Promise<ImportOutcome> {
  const outcome: ImportOutcome = { created: 0, kept: 0, failed: [] };
  let done = 0;
  for (const kind of IMPORTABLE) {
    const known = new Set((steps.existing[kind] ?? []).map((row) => folded(nameIn(kind, row as Row))));
    for (const row of file[kind] ?? []) {
      const name = nameIn(kind, row);
      if (known.has(folded(name))) outcome.kept += 1;
      else {
        try {
          await steps.create(kind, SHAPES[kind].body(row));
          known.add(folded(name));
          outcome.created += 1;
        } catch (error) {
          outcome.failed.push({ kind, name, why: describeError(error) });
        }
      }
      done += 1;
      steps.onRow(done);
    }
  }
  return outcome;
}
