import type { Tools, Tx } from '../../../handler.ts';
import { dkimOf } from '../../sending-domains/sending-domain.ts';

/** The sender of a campaign, as its messages need it. */
export interface CampaignSender {
  id: number;
  name: string;
  fromEmail: string;
  replyTo: string | null;
  dailyCap: number | null;
  warmupPlan: { start: number; growthPercent: number } | null;
  warmupFrom: Date | null;
  isVerified: boolean;
  domain: string;
  selector: string;
  privateKey: string;
  sealRef: string;
}

/** The senders of campaigns, by campaign; none for those that send from the platform. */
export async function readSenders(tx: Tx, campaignIds: Iterable<number | null>): Promise<Map<number, CampaignSender>> {
  const ids = [...new Set(campaignIds)].filter((id) => id !== null);
  if (!ids.length) return new Map();
  const rows = await tx.sql<CampaignSender & { campaignId: number }>`
    SELECT campaign.id AS "campaignId", sender.id, sender.name, sender.from_email AS "fromEmail",
      sender.reply_to AS "replyTo", sender.daily_cap AS "dailyCap", sender.warmup_plan AS "warmupPlan",
      sender.warmup_from AS "warmupFrom", sending_domain.status = 'verified' AS "isVerified", sending_domain.domain,
      sending_domain.selector, sending_domain.private_key AS "privateKey", sending_domain.seal_ref AS "sealRef"
    FROM campaign JOIN sender ON sender.id = campaign.sender_id
    JOIN sending_domain ON sending_domain.id = sender.domain_id
    WHERE campaign.id = ANY(${ids}::bigint[])`;
  return new Map(rows.map((row) => [row.campaignId, row]));
}

/** How messages of a sender leave: From, Reply-To and signature. Without a sender they come from the platform. */
export function envelopeOf(
  tools: Pick<Tools, 'mailer' | 'seal'>,
  sender: CampaignSender | undefined,
  tenantName: string,
) {
  if (!sender) return { from: `${quoted(tenantName)} <${tools.mailer.address}>`, replyTo: null };
  const { name, fromEmail, replyTo } = sender;
  return { from: `${quoted(name)} <${fromEmail}>`, replyTo, dkim: dkimOf(tools, sender) };
}

function quoted(name: string): string {
  return `"${name.replaceAll(/["\\\r\n]/g, '')}"`;
}
