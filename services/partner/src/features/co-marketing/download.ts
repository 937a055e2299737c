import type { Caller } from '@tandem/caller';
import { orAbsent, ServiceCallError } from '@tandem/client/internal';
import type { CoMarketingDownload } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { Peers } from '../../handler.ts';

const linkSeconds = 900;

export type Download = z.output<typeof CoMarketingDownload>;

interface Source {
  fileUrl: string | null;
  fileId: number | null;
  landingPageId: number | null;
}

type As = Omit<Caller, 'type' | 'permissions'>;

/**
 * Download URL of a resource: its own URL, the address of its landing page, or a link from the files service. Must not run
 * inside a transaction.
 * @throws 409 if it has none of them, its page is not published, or its file is no longer available
 */
export async function downloadOf(
  { files, campaign }: Peers,
  { fileUrl, fileId, landingPageId }: Source,
  as: As,
): Promise<Download> {
  if (fileUrl) return { url: fileUrl, expiresAt: null };
  if (landingPageId) return { url: await addressOf(campaign, landingPageId, as), expiresAt: null };
  if (!fileId) throw fail('no_download');
  return files.linkFile({ params: { id: fileId }, body: { expiresIn: linkSeconds }, as }).catch((error: unknown) => {
    const isGone = error instanceof ServiceCallError && (error.status === 404 || error.status === 409);
    throw isGone ? fail('no_download', [{ field: 'fileId', message: 'The file is no longer available' }]) : error;
  });
}

async function addressOf(campaign: Peers['campaign'], id: number, as: As): Promise<string> {
  const page = await orAbsent(campaign.findLandingPage({ params: { id }, as }));
  if (!page?.url) throw fail('no_download', [{ field: 'landingPageId', message: 'The landing page is not published' }]);
  return page.url;
}
