/** Archives of an account or of a contact, which the browser downloads by itself. */
import { call, url } from './client';

/** An export of the account is being downloaded already, and there is one at a time. */
export class ExportRunning extends Error {}

type Archive = 'GET /app/api/admin/export' | 'GET /app/api/contacts/{id}/export';

/** Begins a download. The archive goes to the disk as it comes, so its size does not matter here. */
export async function downloadArchive(archive: Archive, path?: { id: string }): Promise<void> {
  const { data } = await call('GET /app/api/admin/export/state');
  if (data.running) throw new ExportRunning();
  const link = document.createElement('a');
  link.href = url(archive.slice('GET '.length), path && { path });
  link.download = '';
  link.click();
}
