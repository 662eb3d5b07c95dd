import type { BulkJob } from '@/api/schema';

const POLL_MS = 700;
/** Rows that one job may name. */
const IDS_MAX = 1_000;

/** Jobs for any number of rows. */
export function byIds(ids: readonly string[]): Array<{ ids: string[] }> {
  const jobs = [];
  for (let at = 0; at < ids.length; at += IDS_MAX) jobs.push({ ids: ids.slice(at, at + IDS_MAX) });
  return jobs;
}

export type BulkCount = Pick<BulkJob, 'total' | 'done' | 'failed'>;

/** Does the jobs in turn, each in the background of the server, and adds up what became of the rows. */
export async function runBulk<Subject>(
  subjects: Subject[],
  start: (subject: Subject) => Promise<BulkJob>,
  read: (id: string) => Promise<BulkJob>,
  onProgress: (count: BulkCount) => void,
): Promise<BulkCount> {
  let sum: BulkCount = { total: 0, done: 0, failed: 0 };
  for (const subject of subjects) {
    const before = sum;
    let job = await start(subject);
    for (;;) {
      sum = {
        total: before.total + job.total,
        done: before.done + job.done,
        failed: before.failed + job.failed,
      };
      onProgress(sum);
      if (job.status !== 'running') break;
      await new Promise((done) => setTimeout(done, POLL_MS));
      job = await read(job.id);
    }
  }
  return sum;
}
