import type { Caller } from '@tandem/caller';
import { ServiceCallError } from '@tandem/client/internal';
import type { CoMarketingDownload } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { Peers } from '../../handler.ts';

const linkSeconds = 900;

export type Download = z.output<typeof CoMarketingDownload>;

/**
 * Where a resource can be fetched: its address as it is, or a link that files makes. Not inside a transaction.
 * @throws 409 when it has neither, or its file is no longer handed out
 */
export async function downloadOf(
  { files }: Peers,
  { fileUrl, fileId }: { fileUrl: string | null; fileId: number | null },
  as: Omit<Caller, 'type' | 'permissions'>,
): Promise<Download> {
  if (fileUrl) return { url: fileUrl, expiresAt: null };
  if (!fileId) throw fail('no_download');
  return files.linkFile({ params: { id: fileId }, body: { expiresIn: linkSeconds }, as }).catch((error: unknown) => {
    const isGone = error instanceof ServiceCallError && (error.status === 404 || error.status === 409);
    throw isGone ? fail('no_download', [{ field: 'fileId', message: 'The file is no longer available' }]) : error;
  });
}
