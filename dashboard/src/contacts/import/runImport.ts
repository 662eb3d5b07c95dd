import type { ImportBatch, ImportResult, ImportRow } from '@/api/app';
import { call, isTemporary } from '@/api/client';
import { batches } from './mapping';

export const BATCH_ROWS_MAX = 500;
/** Below the server's limit of 1 MiB for a request. */
export const BATCH_BYTES_MAX = 700_000;
const TRIES_MAX = 5;
const PAUSE_MS = 2_000;

interface ImportOptions extends Omit<ImportBatch, 'rows'> {
  rows: readonly ImportRow[];
  /** Called after each batch with its results. What was reported stays done when a later batch fails. */
  onResults: (results: ImportResult[]) => void;
  signal: AbortSignal;
}

/** Sends the rows batch by batch. A batch that is sent again after a lost response is not carried out twice. */
export async function runImport({ rows, onResults, signal, ...options }: ImportOptions): Promise<void> {
  for (const batch of batches(rows, BATCH_ROWS_MAX, BATCH_BYTES_MAX)) {
    signal.throwIfAborted();
    onResults(await sendBatch({ ...options, rows: batch }, signal));
  }
}

async function sendBatch(body: ImportBatch, signal: AbortSignal): Promise<ImportResult[]> {
  const idempotencyKey = crypto.randomUUID();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await call('POST /app/api/contacts/import', { body }, { idempotencyKey, signal })).data.results;
    } catch (error) {
      if (attempt >= TRIES_MAX || signal.aborted || !isTemporary(error)) throw error;
      await pause(PAUSE_MS * attempt);
    }
  }
}

/** Waits, or until the connection is back. */
function pause(ms: number): Promise<void> {
  return new Promise((done) => {
    const end = () => {
      clearTimeout(timer);
      window.removeEventListener('online', end);
      done();
    };
    const timer = setTimeout(end, ms);
    window.addEventListener('online', end);
  });
}
