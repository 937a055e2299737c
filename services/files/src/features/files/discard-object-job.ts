import { restorableDays } from '@tandem/files-contract';
import { z } from 'zod';

/** Job that removes stored bytes that no file needs. */
export const discardObjectJob = { name: 'discard-object', payload: z.object({ objectKey: z.string() }) };

const dayMs = 86_400_000;
const delaysMs = { unused: dayMs, deleted: restorableDays * dayMs };

/**
 * When to check bytes: a day after an upload started, or when a deleted file can no longer be restored.
 * @param since when the upload started or the file was deleted; now by default
 */
export function discardDueAt(reason: keyof typeof delaysMs, since = new Date()): Date {
  return new Date(since.getTime() + delaysMs[reason]);
}
