import { Campaign, campaignStates } from '@tandem/campaign-contract';
import { unknownId } from '@tandem/contract';
import { fail, failField, transitionError } from '@tandem/service';
import type { z } from 'zod';
import { type Campaign as CampaignRow, Prisma } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type CampaignRecord = z.output<typeof Campaign>;
type Status = CampaignRecord['status'];

const columns = Campaign.pick({ type: true, status: true, sendWindow: true });

/** Converts a row to the contract's `Campaign`. */
export function asCampaign(row: CampaignRow): CampaignRecord {
  const checked = columns.parse(row);
  const { status } = checked;
  return {
    ...row,
    ...checked,
    phase: phaseOf(status, row.startAt),
    allowedTransitions: campaignStates.next(status),
  };
}

function phaseOf(status: Status, startAt: Date | null): CampaignRecord['phase'] {
  if (status !== 'active') return status;
  return startAt && startAt > new Date() ? 'scheduled' : 'running';
}

/**
 * Locks a campaign for a change.
 * @throws ApiError 404 when it does not exist
 */
export async function lockCampaign(tx: Tx, id: number): Promise<CampaignRow> {
  const row = await tx.campaign.lockFirst({ where: { id, deletedAt: null } });
  if (!row) throw fail('not_found');
  return row;
}

/** Fails unless the campaign exists for the caller. */
export async function findCampaignRow(tx: Tx, id: number): Promise<CampaignRow> {
  const row = await tx.campaign.findFirst({ where: { id, deletedAt: null } });
  if (!row) throw fail('not_found');
  return row;
}

/** Fails with 422 unless the campaign exists in the caller's tenant. */
export async function checkCampaign(tx: Tx, campaignId: number | null | undefined): Promise<void> {
  if (campaignId === null || campaignId === undefined) return;
  const row = await tx.campaign.findFirst({ where: { id: campaignId, deletedAt: null }, select: { id: true } });
  if (!row) throw failField('campaignId', unknownId('campaign'));
}

/** Fails with 422 unless a campaign with these times can run. */
export function checkTimes({ startAt, endAt }: { startAt?: Date | null; endAt?: Date | null }): void {
  if (!endAt) return;
  if (endAt <= new Date()) throw failField('endAt', 'Must be in the future');
  if (startAt && endAt <= startAt) throw failField('endAt', 'Must be later than startAt');
}

/** The column of a send window. */
export const windowColumn = (sendWindow: CampaignRecord['sendWindow'] | undefined) =>
  sendWindow === undefined ? {} : { sendWindow: sendWindow === null ? Prisma.DbNull : { ...sendWindow } };

/** A campaign after a change of its status, with what its event says. */
export interface StatusChange {
  row: CampaignRow;
  campaign: CampaignRecord;
  event: {
    data: { campaignId: number };
    record: CampaignRecord;
    changes: { status: { from: string; to: string } };
  };
}

/**
 * Changes the status of a locked campaign. With `launch` the audience is enrolled again, and jobs of earlier launches have
 * no effect.
 * @throws ApiError 409 when the status is not one of `from`
 */
export async function changeStatus(
  tx: Tx,
  row: CampaignRow,
  { from, to, launch = false }: { from: readonly Status[]; to: Status; launch?: boolean },
): Promise<StatusChange> {
  checkStatus(row, from);
  const [written] = await tx.campaign.updateManyAndReturn({
    where: { id: row.id },
    data: { status: to, version: { increment: 1 }, ...(launch && { launch: { increment: 1 } }) },
  });
  if (!written) throw fail('not_found');
  const campaign = asCampaign(written);
  const changes = { status: { from: row.status, to } };
  return { row: written, campaign, event: { data: { campaignId: row.id }, record: campaign, changes } };
}

/** Fails with 409 unless the campaign is in one of these statuses. */
export function checkStatus(row: CampaignRow, from: readonly Status[]): void {
  const { status, allowedTransitions } = asCampaign(row);
  if (!from.includes(status)) throw fail('transition_refused', [transitionError(status, allowedTransitions)]);
}

/** Fails with 409 unless an operation can change the campaign to this status. */
export function checkTransition({ status, allowedTransitions }: CampaignRecord, to: Status): void {
  if (!allowedTransitions.includes(to)) throw fail('transition_refused', [transitionError(status, allowedTransitions)]);
}

/** Fails with 422 unless the sender exists; it is then locked against deletion until the end of the transaction. */
export async function checkSender(tx: Tx, senderId: number | null | undefined): Promise<void> {
  if (senderId === null || senderId === undefined) return;
  const [sender] = await tx.sql<{ id: number }>`SELECT id FROM sender
    WHERE tenant_id = platform.tenant_id() AND environment = platform.environment() AND id = ${senderId} FOR KEY SHARE`;
  if (!sender) throw failField('senderId', unknownId('sender'));
}
