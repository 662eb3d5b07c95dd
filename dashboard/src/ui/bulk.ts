import type { BulkJob } from '@/api/schema';

const POLL_MS = 700;

/** Follows work in the background until it ends. */
export async function waitForBulk(
  started: BulkJob,
  read: (id: string) => Promise<BulkJob>,
  onProgress: (job: BulkJob) => void,
): Promise<BulkJob> {
  let job = started;
  onProgress(job);
  while (job.status === 'running') {
    await new Promise((done) => setTimeout(done, POLL_MS));
    job = await read(job.id);
    onProgress(job);
  }
  return job;
}
