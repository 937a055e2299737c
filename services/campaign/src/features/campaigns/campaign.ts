import { Campaign, campaignStates } from '@tandem/campaign-contract';
import { unknownId } from '@tandem/contract';
import { failField } from '@tandem/service';
import type { z } from 'zod';
import type { Campaign as CampaignRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type CampaignRecord = z.output<typeof Campaign>;

const columns = Campaign.pick({ type: true, status: true });

/** Converts a row to the contract's `Campaign`. */
export function asCampaign(row: CampaignRow): CampaignRecord {
  const checked = columns.parse(row);
  return { ...row, ...checked, allowedTransitions: campaignStates.next(checked.status) };
}

/** Fails with 422 unless the campaign exists in the caller's tenant. */
export async function checkCampaign(tx: Tx, campaignId: number | null | undefined): Promise<void> {
  if (campaignId === null || campaignId === undefined) return;
  const row = await tx.campaign.findFirst({ where: { id: campaignId }, select: { id: true } });
  if (!row) throw failField('campaignId', unknownId('campaign'));
}

/** Fails with 422 unless the sender exists; it is then locked against deletion until the end of the transaction. */
export async function checkSender(tx: Tx, senderId: number | null | undefined): Promise<void> {
  if (senderId === null || senderId === undefined) return;
  const [sender] = await tx.sql<{ id: number }>`SELECT id FROM sender
    WHERE tenant_id = platform.tenant_id() AND environment = platform.environment() AND id = ${senderId} FOR KEY SHARE`;
  if (!sender) throw failField('senderId', unknownId('sender'));
}
