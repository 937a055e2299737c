import type { Caller } from '@tandem/caller';
import { orAbsent } from '@tandem/client/internal';
import { unknownId } from '@tandem/contract';
import { asService, failField, reachOf } from '@tandem/service';
import type { Tools } from '../../handler.ts';
import { checkLandingUrl } from './landing.ts';

interface CodeInput {
  landingUrl?: string | null | undefined;
  campaignId?: number | null | undefined;
  expiresAt?: Date | null | undefined;
}

/**
 * Checks what a caller sets in a code.
 * @throws 422 for a page that links may not lead to, a campaign that the caller cannot read, or a time in the past
 */
export async function checkInput(
  { landingUrl, campaignId, expiresAt }: CodeInput,
  caller: Caller,
  { peers, addonSettings }: Pick<Tools, 'peers' | 'addonSettings'>,
): Promise<void> {
  if (expiresAt && expiresAt.getTime() <= Date.now()) throw failField('expiresAt', 'Must be in the future');
  if (landingUrl) checkLandingUrl(landingUrl, await addonSettings(caller, 'partner_program'));
  if (!campaignId) return;
  const as = asService(caller, reachOf(caller, 'campaigns:read'));
  const found = await orAbsent(peers.campaign.findCampaign({ params: { id: campaignId }, as }));
  if (!found) throw failField('campaignId', unknownId('campaign'));
}
