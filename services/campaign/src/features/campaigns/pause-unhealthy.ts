import { campaignAutoPaused, healthLimits } from '@tandem/campaign-contract';
import type { Emit } from '@tandem/events';
import type { Tx } from '../../handler.ts';
import { asCampaign } from './campaign.ts';

interface Inside {
  tx: Tx;
  emit: Emit<typeof campaignAutoPaused>;
}

interface Figures {
  sent: number;
  bounced: number;
  complained: number;
}

/**
 * Locks the campaigns of messages that may be unhealthy. Call it before the messages and their executions are locked: all
 * transactions lock campaigns first.
 */
export async function lockCampaignsOf(
  tx: Tx,
  { refs = [], id }: { refs?: readonly string[]; id?: number },
): Promise<void> {
  await tx.sql`SELECT FROM campaign
    WHERE id IN (SELECT campaign_id FROM message WHERE ref = ANY(${refs}::uuid[]) OR id = ${id ?? null}::bigint)
    ORDER BY id FOR UPDATE`;
}

/**
 * Pauses a campaign when too many of its messages bounced or were reported as spam, and emits `campaign.auto_paused`. Call
 * it after each bounce and complaint, with the campaign locked (`lockCampaignsOf`). Messages since its last automatic pause
 * count, so that a campaign which was resumed gets a fair chance. The engine parks executions of a paused campaign when they are due.
 */
export async function pauseUnhealthy({ tx, emit }: Inside, campaignId: number): Promise<void> {
  const campaign = await tx.campaign.lockFirst({ where: { id: campaignId, status: 'active' } });
  if (!campaign) return;
  const since = campaign.autoPausedAt ?? new Date(0);
  const bad = await countBad(tx, campaignId, since);
  // More messages than this prove that the rates are within their limits: no more are counted.
  const enough = Math.max(
    healthLimits.sentMin,
    Math.ceil(bad.bounced / healthLimits.bounceRate),
    Math.ceil(bad.complained / healthLimits.complaintRate),
  );
  if (!isUnhealthy({ ...bad, sent: await countSent(tx, campaignId, since, enough) })) return;
  const figures = { ...bad, sent: await countSent(tx, campaignId, since) };
  const [written] = await tx.campaign.updateManyAndReturn({
    where: { id: campaignId, status: 'active' },
    data: { status: 'paused', autoPausedAt: new Date(), version: { increment: 1 } },
  });
  if (!written) return;
  const { sent, bounced, complained } = figures;
  const bounceRate = bounced / sent;
  const reason = bounceRate > healthLimits.bounceRate ? ('bounces' as const) : ('complaints' as const);
  emit(campaignAutoPaused, {
    data: { campaignId, reason, sent, bounced, complained, bounceRate, complaintRate: complained / sent },
    record: asCampaign(written),
    changes: { status: { from: 'active', to: 'paused' } },
  });
}

function isUnhealthy({ sent, bounced, complained }: Figures): boolean {
  if (sent < healthLimits.sentMin) return false;
  if (bounced / sent > healthLimits.bounceRate) return true;
  return complained >= healthLimits.complaintsMin && complained / sent > healthLimits.complaintRate;
}

async function countBad(tx: Tx, campaignId: number, since: Date): Promise<Omit<Figures, 'sent'>> {
  const [row] = await tx.sql<Omit<Figures, 'sent'>>`SELECT
    (SELECT count(*)::int FROM message WHERE campaign_id = ${campaignId} AND bounced_at > ${since} AND sent_at > ${since})
      AS bounced,
    (SELECT count(*)::int FROM message WHERE campaign_id = ${campaignId} AND complained_at > ${since} AND sent_at > ${since})
      AS complained`;
  return row ?? { bounced: 0, complained: 0 };
}

async function countSent(tx: Tx, campaignId: number, since: Date, max = Number.MAX_SAFE_INTEGER): Promise<number> {
  const [row] = await tx.sql<{ sent: number }>`SELECT count(*)::int AS sent FROM (
    SELECT FROM message WHERE campaign_id = ${campaignId} AND sent_at > ${since} LIMIT ${max}::bigint) AS counted`;
  return row?.sent ?? 0;
}
