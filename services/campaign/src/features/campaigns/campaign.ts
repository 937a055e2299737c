import type { Campaign, campaignStatuses } from '@tandem/campaign-contract';
import { unknownId } from '@tandem/contract';
import { failField } from '@tandem/service';
import type { z } from 'zod';
import type { Campaign as CampaignRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type CampaignRecord = z.output<typeof Campaign>;
type CampaignStatus = (typeof campaignStatuses)[number];

const transitions: Record<CampaignStatus, readonly CampaignStatus[]> = {
  draft: ['active'],
  active: ['paused', 'completed'],
  paused: ['active', 'completed'],
  completed: [],
};

/** A row as the contract shows it. */
export function asCampaign(row: CampaignRow): CampaignRecord {
  return { ...(row as unknown as CampaignRecord), allowedTransitions: [...transitions[row.status as CampaignStatus]] };
}

/** Throws a 422 for the id of a campaign that does not exist in the caller's tenant. */
export async function checkCampaign(tx: Tx, campaignId: number | null | undefined): Promise<void> {
  if (campaignId === null || campaignId === undefined) return;
  const row = await tx.campaign.findFirst({ where: { id: campaignId }, select: { id: true } });
  if (!row) throw failField('campaignId', unknownId('campaign'));
}
