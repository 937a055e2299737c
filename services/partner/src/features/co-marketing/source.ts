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
  // A stored field was checked when it was set, so it is read without the limits of this caller.
  const callAs: CallAs = (field, permission) =>
    asService(caller, field in requested ? reachOf(caller, permission) : 'all');
  switch (source.sourceType) {
    case 'file':
      return checkFile(peers, source, callAs);
    case 'landing-page':
      return checkLandingPage(peers, source, callAs);
    case 'campaign':
      return checkCampaign(peers, source, callAs);
  }
}

/** The caller context for the owning service: which records it may find for a field. */
type CallAs = (field: keyof SourceInput, permission: string) => ReturnType<typeof asService>;

async function checkFile({ files }: Peers, source: SourceInput, callAs: CallAs): Promise<Source> {
  const { fileId: id, fileUrl = null } = source;
  if (!id) {
    if (!fileUrl) throw failField('fileId', 'Is required when sourceType is file, unless fileUrl is sent');
    return { ...emptySource, fileUrl, fileType: extensionOf(new URL(fileUrl).pathname) };
  }
  const file = await orAbsent(files.findFile({ params: { id }, as: callAs('fileId', 'files:read') }));
  if (!file) throw failField('fileId', unknownId('file'));
  if (file.status !== 'available')
    throw failField('fileId', 'The file is quarantined and cannot be downloaded; send another file');
  return {
    ...emptySource,
    fileId: id,
    fileUrl,
    fileType: extensionOf(file.filename),
    fileSize: readableSize(file.size),
  };
}

async function checkLandingPage({ campaign }: Peers, source: SourceInput, callAs: CallAs): Promise<Source> {
  const { landingPageId: id } = source;
  if (!id) throw failField('landingPageId', 'Is required when sourceType is landing-page');
  const as = callAs('landingPageId', 'campaigns:read');
  const page = await orAbsent(campaign.findLandingPage({ params: { id }, as }));
  if (!page) throw failField('landingPageId', unknownId('landing_page'));
  return { ...emptySource, landingPageId: id };
}

async function checkCampaign({ campaign }: Peers, source: SourceInput, callAs: CallAs): Promise<Source> {
  const { campaignId: id } = source;
  if (!id) throw failField('campaignId', 'Is required when sourceType is campaign');
  const as = callAs('campaignId', 'campaigns:read');
  const found = await orAbsent(campaign.findCampaign({ params: { id }, as }));
  if (!found) throw failField('campaignId', unknownId('campaign'));
  return { ...emptySource, campaignId: id };
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
