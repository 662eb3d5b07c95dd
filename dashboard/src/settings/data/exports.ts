/** Reads everything that an account's lists give, page by page. */
import { call } from '@/api/client';
import { ApiError } from '@/api/errors';

const PAGE_ROWS = 100;
/** A list is not read further: the browser holds the whole file in memory. */
export const ROWS_MAX = 100_000;
const WAIT_SECONDS_USUAL = 5;

/** The lists, by the name that they have in the file, with what a role needs to read them. */
export const KINDS = {
  contacts: { operation: 'GET /contacts', scope: 'contacts:read' },
  tags: { operation: 'GET /tags', scope: 'contacts:read' },
  custom_fields: { operation: 'GET /custom-fields', scope: 'contacts:read' },
  segments: { operation: 'GET /segments', scope: 'contacts:read' },
  conversations: { operation: 'GET /conversations', scope: 'conversations:read' },
  canned_replies: { operation: 'GET /canned-replies', scope: 'conversations:read' },
  templates: { operation: 'GET /templates', scope: 'templates:read' },
  pipelines: { operation: 'GET /pipelines', scope: 'deals:read' },
  deals: { operation: 'GET /deals', scope: 'deals:read' },
  inquiries: { operation: 'GET /inquiries', scope: 'inquiries:read' },
  bookings: { operation: 'GET /bookings', scope: 'contacts:read' },
  broadcasts: { operation: 'GET /broadcasts', scope: 'broadcasts:read' },
  assistants: { operation: 'GET /assistants', scope: 'assistants:read' },
  instructions: { operation: 'GET /instructions', scope: 'assistants:read' },
  memories: { operation: 'GET /memories', scope: 'assistants:read' },
  triggers: { operation: 'GET /triggers', scope: 'assistants:read' },
} as const;
export type Kind = keyof typeof KINDS;
export const KIND_NAMES = Object.keys(KINDS) as Kind[];
export type ExportFile = Partial<Record<Kind, unknown[]>>;

interface Rows {
  data: unknown[];
  meta: { next_cursor?: string | null };
}

/** Lists that are not paged ignore the limit and the cursor. */
type Read = (kind: Kind, cursor: string | null, signal: AbortSignal) => Promise<Rows>;
const PAGED: ReadonlySet<Kind> = new Set([
  'contacts',
  'conversations',
  'deals',
  'inquiries',
  'bookings',
  'broadcasts',
  'assistants',
  'instructions',
  'memories',
  'triggers',
]);

const readPage: Read = (kind, cursor, signal) => {
  const query = PAGED.has(kind) ? { limit: PAGE_ROWS, ...(cursor && { cursor }) } : {};
  return call(KINDS[kind].operation as 'GET /contacts', { query }, { signal });
};

const wait = (seconds: number, signal: AbortSignal) =>
  new Promise<void>((done, fail) => {
    const timer = setTimeout(done, seconds * 1_000);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      fail(signal.reason);
    });
  });

export interface ExportOptions {
  signal: AbortSignal;
  /** Told of the number of rows after each page. */
  onRows: (kind: Kind, count: number) => void;
  read?: Read;
}

/** All rows of the kinds. A session that asks too often waits, and goes on. */
export async function readAll(kinds: readonly Kind[], options: ExportOptions): Promise<ExportFile> {
  const { signal, onRows, read = readPage } = options;
  const file: ExportFile = {};
  for (const kind of kinds) {
    const rows: unknown[] = [];
    let cursor: string | null = null;
    do {
      const page: Rows = await patiently(() => read(kind, cursor, signal), signal);
      rows.push(...page.data);
      cursor = page.meta.next_cursor ?? null;
      onRows(kind, rows.length);
    } while (cursor && rows.length < ROWS_MAX);
    if (cursor) throw new TooManyRows(kind);
    file[kind] = rows;
  }
  return file;
}

/** The file would be too large for a browser. */
export class TooManyRows extends Error {
  readonly kind: Kind;
  constructor(kind: Kind) {
    super(`more than ${ROWS_MAX} rows of ${kind}`);
    this.name = 'TooManyRows';
    this.kind = kind;
  }
}

async function patiently<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 429)) throw error;
      await wait(error.retryAfterSeconds ?? WAIT_SECONDS_USUAL, signal);
    }
  }
}
