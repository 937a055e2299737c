import type { campaignAutoPaused, messageEngaged, suppressionAdded } from '@tandem/campaign-contract';
import type { Emit } from '@tandem/events';
import type { Schedule } from '@tandem/jobs';
import type { Tools, Tx } from '../../handler.ts';
import { lockCampaignsOf, pauseUnhealthy } from '../campaigns/pause-unhealthy.ts';
import { digestOf, normalizedValue } from '../suppressions/address.ts';
import { type Reason, suppress } from '../suppressions/suppressed.ts';
import { engage, type MessageDeed } from '../tracking/engage.ts';
import type { MailReport } from './report.ts';

/** How many temporary bounces within how many days suppress an address. */
export const softBounces = { max: 3, days: 7 } as const;

export interface Inside {
  tx: Tx;
  emit: Emit<typeof messageEngaged | typeof suppressionAdded | typeof campaignAutoPaused>;
  schedule: Schedule;
}

interface Sent {
  id: number;
  ref: string;
  recipient: string | null;
  campaignId: number | null;
  sentAt: Date | null;
}

export type ReportTools = Pick<Tools, 'ids' | 'seal'>;

const deedOf = {
  bounced: 'email_bounce',
  complained: 'email_complaint',
  replied: 'email_reply',
  auto_replied: 'email_auto_reply',
} as const;

/**
 * Applies reports about e-mails of one tenant. Each has its effect once: a message bounces once and is reported as spam once,
 * and an address is suppressed once for each reason. Mail that is not of a campaign, such as a test, suppresses its address.
 */
export async function applyReports(inside: Inside, tools: ReportTools, reports: readonly MailReport[]): Promise<void> {
  const { tx } = inside;
  const refs = reports.map(({ message }) => message.ref);
  const bad = reports.filter(({ is }) => is === 'bounced' || is === 'complained');
  if (bad.length) await lockCampaignsOf(tx, { refs: bad.map(({ message }) => message.ref) });
  const messages = new Map((await readSent(tx, refs)).map((row) => [row.ref, row]));
  const others = await readQueued(
    tx,
    refs.filter((ref) => !messages.has(ref)),
  );
  await markDelivered(tx, reports);
  const deeds = reports.flatMap((report): MessageDeed[] => {
    const { is, at } = report;
    const sent = messages.get(report.message.ref);
    if (!sent || is === 'delivered' || is === 'softly_bounced') return [];
    const isOnce = is === 'bounced' || is === 'complained';
    const sourceId = isOnce ? `${is}-${sent.id}` : `${report.sourceId}-${sent.id}`;
    // The clock of a mail server may be behind, and results leave out what happened before the message was sent.
    const happenedAt = sent.sentAt && sent.sentAt > at ? sent.sentAt : at;
    return [{ messageId: sent.id, type: deedOf[is], at: happenedAt, automated: is === 'auto_replied', sourceId }];
  });
  await engage(inside, tools, deeds);
  for (const report of reports) {
    const sent = messages.get(report.message.ref);
    const address = sent?.recipient ?? others.get(report.message.ref) ?? report.recipient;
    if (address) await suppressFor(inside, tools, report, address);
  }
  const campaigns = new Set(bad.map(({ message }) => messages.get(message.ref)?.campaignId ?? null));
  for (const id of campaigns) if (id !== null) await pauseUnhealthy(inside, id);
}

function readSent(tx: Tx, refs: readonly string[]): Promise<Sent[]> {
  return tx.sql<Sent>`SELECT id, ref, recipient, campaign_id AS "campaignId", sent_at AS "sentAt" FROM message
    WHERE ref = ANY(${refs}::uuid[]) ORDER BY id FOR NO KEY UPDATE`;
}

/** The recipients of mail from the queue, by ref. */
async function readQueued(tx: Tx, refs: readonly string[]): Promise<Map<string, string>> {
  if (!refs.length) return new Map();
  const rows = await tx.sql<{ ref: string; recipient: string }>`SELECT ref, recipient FROM platform.mail
    WHERE ref = ANY(${refs}::uuid[])`;
  return new Map(rows.map(({ ref, recipient }) => [ref, recipient]));
}

async function markDelivered(tx: Tx, reports: readonly MailReport[]): Promise<void> {
  const delivered = reports.filter(({ is }) => is === 'delivered').map(({ message: { ref }, at }) => ({ ref, at }));
  if (!delivered.length) return;
  await tx.sql`UPDATE message SET delivered_at = given.at, updated_at = now(),
      status = CASE WHEN status = 'sent' THEN 'delivered' ELSE status END
    FROM (SELECT ref, min(at) AS at FROM jsonb_to_recordset(${JSON.stringify(delivered)}::jsonb)
      AS report (ref uuid, at timestamptz) GROUP BY ref) AS given
    WHERE message.ref = given.ref AND delivered_at IS NULL`;
}

const reasons: Partial<Record<MailReport['is'], Reason>> = { bounced: 'hard_bounce', complained: 'complaint' };

async function suppressFor(inside: Inside, tools: ReportTools, report: MailReport, address: string): Promise<void> {
  const value = normalizedValue('email', address);
  if (typeof value !== 'string') return;
  if (report.is === 'softly_bounced') {
    if (!(await isThirdSoftBounce(inside.tx, digestOf(tools, 'email', value), report))) return;
    const note = `${softBounces.max} temporary bounces within ${softBounces.days} days`;
    await suppress(tools, inside, { channel: 'email', value, reason: 'hard_bounce', note });
    return;
  }
  const reason = reasons[report.is];
  if (reason) await suppress(tools, inside, { channel: 'email', value, reason });
}

async function isThirdSoftBounce(tx: Tx, digest: string, { sourceId, at }: MailReport): Promise<boolean> {
  await tx.sql`INSERT INTO soft_bounce (digest, source_id, at) VALUES (${digest}, ${sourceId}, ${at})
    ON CONFLICT (tenant_id, environment, digest, source_id) DO NOTHING`;
  const [row] = await tx.sql<{ count: number }>`SELECT count(*)::int AS count FROM soft_bounce
    WHERE digest = ${digest} AND at > now() - make_interval(days => ${softBounces.days}::int)`;
  return (row?.count ?? 0) >= softBounces.max;
}
