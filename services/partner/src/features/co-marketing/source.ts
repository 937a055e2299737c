import type { Caller } from '@tandem/caller';
import { orAbsent } from '@tandem/client/internal';
import { unknownId } from '@tandem/contract';
import type { sourceTypes } from '@tandem/partner-contract';
import { asService, failField, reachOf } from '@tandem/service';
import type { Peers } from '../../handler.ts';

type Optional<T> = T | null | undefined;

/** Source of a resource as sent by the caller. */
export interface SourceInput {
  sourceType: (typeof sourceTypes)[number];
  fileId?: Optional<number>;
  fileUrl?: Optional<string>;
  landingPageId?: Optional<number>;
  campaignId?: Optional<number>;
}

/** Source columns of a resource. */
export interface Source {
  fileId: number | null;
  fileUrl: string | null;
  landingPageId: number | null;
  campaignId: number | null;
  fileType: string | null;
  fileSize: string | null;
}

const emptySource: Source = {
  fileId: null,
  fileUrl: null,
  landingPageId: null,
  campaignId: null,
  fileType: null,
  fileSize: null,
};

/**
 * Checks with the owning service that the source exists and that the caller may read it, because sharing publishes it.
 * @param source the resulting source; fields in `requested` are from the request, the others from the stored resource
 * @throws 422 on the field that is missing or refers to nothing the caller may read
 */
export async function checkSource(
  peers: Peers,
  source: SourceInput,
  { requested, caller }: { requested: object; caller: Caller },
): Promise<Source> {
  const as = (field: keyof SourceInput, permission: string) =>
    asService(caller, field in requested ? reachOf(caller, permission) : 'all');
  if (source.sourceType === 'file') return checkFile(peers, source, () => as('fileId', 'files:read'));
  if (source.sourceType === 'landing-page') {
    const { landingPageId: id } = source;
    if (!id) throw failField('landingPageId', 'Is required when sourceType is landing-page');
    const found = await orAbsent(
      peers.campaign.findLandingPage({ params: { id }, as: as('landingPageId', 'campaigns:read') }),
    );
    if (!found) throw failField('landingPageId', unknownId('landing_page'));
    return { ...emptySource, landingPageId: id };
  }
  const { campaignId: id } = source;
  if (!id) throw failField('campaignId', 'Is required when sourceType is campaign');
  const found = await orAbsent(peers.campaign.findCampaign({ params: { id }, as: as('campaignId', 'campaigns:read') }));
  if (!found) throw failField('campaignId', unknownId('campaign'));
  return { ...emptySource, campaignId: id };
}

async function checkFile(
  { files }: Peers,
  source: SourceInput,
  as: () => ReturnType<typeof asService>,
): Promise<Source> {
  const { fileId, fileUrl = null } = source;
  if (!fileId) {
    if (!fileUrl) throw failField('fileId', 'Is required when sourceType is file, unless fileUrl is sent');
    return { ...emptySource, fileUrl, fileType: extensionOf(new URL(fileUrl).pathname) };
  }
  const file = await orAbsent(files.findFile({ params: { id: fileId }, as: as() }));
  if (!file) throw failField('fileId', unknownId('file'));
  if (file.status !== 'available') throw failField('fileId', 'The file is quarantined and cannot be downloaded; send another file');
  return { ...emptySource, fileId, fileUrl, fileType: extensionOf(file.filename), fileSize: readableSize(file.size) };
}

/** `pdf` for `Offer.PDF`; null for a name without a usable extension. */
function extensionOf(name: string): string | null {
  return /[^/]\.([a-z0-9]{1,10})$/i.exec(name)?.[1]?.toLowerCase() ?? null;
}

/** `1.4 MB` */
function readableSize(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB'];
  let unit = 0;
  let size = bytes;
  while (rounded(size) >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${rounded(size)} ${units[unit]}`;
}

function rounded(size: number): number {
  return Math.round(size * 10) / 10;
}
