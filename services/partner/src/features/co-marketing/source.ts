import type { Caller } from '@tandem/caller';
import { orAbsent } from '@tandem/client/internal';
import { unknownId } from '@tandem/contract';
import type { sourceTypes } from '@tandem/partner-contract';
import { asService, failField, reachOf } from '@tandem/service';
import type { Peers } from '../../handler.ts';

type Given<T> = T | null | undefined;

/** What a resource is made from, as a caller says it. */
export interface GivenSource {
  sourceType: (typeof sourceTypes)[number];
  fileId?: Given<number>;
  fileUrl?: Given<string>;
  landingPageId?: Given<number>;
  campaignId?: Given<number>;
}

/** The columns that say what a resource is made from. */
export interface Source {
  fileId: number | null;
  fileUrl: string | null;
  landingPageId: number | null;
  campaignId: number | null;
  fileType: string | null;
  fileSize: string | null;
}

const none: Source = {
  ...{ fileId: null, fileUrl: null, landingPageId: null, campaignId: null },
  ...{ fileType: null, fileSize: null },
};

/**
 * Asks those who have it whether the source is there, and whether the caller may read it: sharing material hands it out.
 * @param given the source as it will be; what `named` has of it comes from the caller, the rest was there before
 * @throws 422 naming the field that is missing, or that names nothing that the caller may read
 */
export async function checkSource(
  peers: Peers,
  given: GivenSource,
  { named, caller }: { named: object; caller: Caller },
): Promise<Source> {
  const as = (field: keyof GivenSource, permission: string) =>
    asService(caller, field in named ? reachOf(caller, permission) : 'all');
  if (given.sourceType === 'file') return checkFile(peers, given, () => as('fileId', 'files:read'));
  if (given.sourceType === 'landing-page') {
    const { landingPageId: id } = given;
    if (!id) throw failField('landingPageId', 'Is required for the sourceType landing-page');
    const found = await orAbsent(
      peers.campaign.findLandingPage({ params: { id }, as: as('landingPageId', 'campaigns:read') }),
    );
    if (!found) throw failField('landingPageId', unknownId('landing_page'));
    return { ...none, landingPageId: id };
  }
  const { campaignId: id } = given;
  if (!id) throw failField('campaignId', 'Is required for the sourceType campaign');
  const found = await orAbsent(peers.campaign.findCampaign({ params: { id }, as: as('campaignId', 'campaigns:read') }));
  if (!found) throw failField('campaignId', unknownId('campaign'));
  return { ...none, campaignId: id };
}

async function checkFile(
  { files }: Peers,
  given: GivenSource,
  as: () => ReturnType<typeof asService>,
): Promise<Source> {
  const { fileId, fileUrl = null } = given;
  if (!fileId) {
    if (!fileUrl) throw failField('fileId', 'Send fileId or fileUrl for the sourceType file');
    return { ...none, fileUrl, fileType: extensionOf(new URL(fileUrl).pathname) };
  }
  const file = await orAbsent(files.findFile({ params: { id: fileId }, as: as() }));
  if (!file) throw failField('fileId', unknownId('file'));
  if (file.status !== 'available') throw failField('fileId', 'The file is quarantined and cannot be downloaded');
  return { ...none, fileId, fileUrl, fileType: extensionOf(file.filename), fileSize: readableSize(file.size) };
}

/** `pdf` of `Offer.PDF`; null of a name without a usable extension. */
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
