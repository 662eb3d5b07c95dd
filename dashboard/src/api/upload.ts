import { call } from './client';
import type { Upload } from './shapes';

export const FILE_BYTES_MAX = 100 * 1024 * 1024;

/** Stores a file on the server, for a message or a canned reply to refer to. */
export async function upload(file: File): Promise<Upload> {
  const form = new FormData();
  form.set('file', file);
  return (await call('POST /media', { body: form })).data;
}
