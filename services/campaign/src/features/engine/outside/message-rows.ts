import type { Tx } from '../../../handler.ts';
import { storableJson } from '../storable.ts';

/** A message that is to be sent. */
export interface Claim {
  executionId: number;
  wake: number;
  workflowId: number;
  nodeId: string;
  campaignId: number | null;
  leadId: number;
  channel: 'email' | 'sms';
  recipient: string;
  /** The digests of the suppressions that would stop it. */
  digests: readonly string[];
  /** Where the content is from; see `contents.ts`. */
  templateId?: number | null;
  variant?: string | null;
  abTestId?: number | null;
}

/** A message of an execution at a node. */
export interface MessageRow {
  id: number;
  ref: string;
  executionId: number;
  status: string;
  attempts: number;
  createdAt: Date;
}

/** The state of a message after an attempt, or after the decision not to send it. */
export interface MessageEnd
  extends Omit<Claim, 'wake' | 'recipient' | 'digests' | 'templateId' | 'variant' | 'abTestId'> {
  recipient: string | null;
  status: 'queued' | 'sent' | 'skipped' | 'failed';
  subject: string | null;
  uncertain: boolean;
  skipReason: string | null;
  error: string | null;
}

/**
 * Claims messages right before they are sent. A message that is claimed already, or has ended, is not returned, and neither
 * is one whose workflow or campaign was paused, whose recipient was suppressed, or whose execution was woken for another run,
 * meanwhile.
 */
export async function claimMessages(tx: Tx, claims: readonly Claim[]): Promise<MessageRow[]> {
  if (!claims.length) return [];
  return tx.sql<MessageRow>`
    INSERT INTO message (execution_id, workflow_id, node_id, campaign_id, lead_id, channel, recipient, status, claimed_at,
      attempts, simulated, updated_at, template_id, variant, ab_test_id)
    SELECT given."executionId", given."workflowId", given."nodeId", given."campaignId", given."leadId", given.channel,
      given.recipient, 'sending', now(), 1, platform.environment() = 'sandbox', now(), given."templateId", given.variant,
      given."abTestId"
    FROM jsonb_to_recordset(${JSON.stringify(claims)}::jsonb) AS given ("executionId" bigint, wake int,
      "workflowId" bigint, "nodeId" text, "campaignId" bigint, "leadId" bigint, channel text, recipient text,
      "templateId" bigint, variant text, "abTestId" bigint, digests text[])
    JOIN execution ON execution.id = given."executionId" AND execution.wake = given.wake
      AND execution.status IN ('running', 'waiting')
    JOIN workflow ON workflow.id = given."workflowId" AND workflow.status = 'published'
    LEFT JOIN campaign ON campaign.id = given."campaignId"
    WHERE (campaign.id IS NULL OR campaign.status = 'active')
      AND NOT EXISTS (SELECT FROM suppression
        WHERE suppression.tenant_id = platform.tenant_id() AND suppression.environment = platform.environment()
          AND suppression.channel = given.channel AND suppression.digest = ANY(given.digests)
          AND (suppression.topic_id IS NULL OR suppression.topic_id = campaign.topic_id))
      AND NOT EXISTS (SELECT FROM contact_pause
        WHERE contact_pause.tenant_id = platform.tenant_id() AND contact_pause.environment = platform.environment()
          AND contact_pause.channel = given.channel AND contact_pause.digest = ANY(given.digests)
          AND contact_pause.paused_until > now())
    ORDER BY given."executionId"
    ON CONFLICT (tenant_id, environment, execution_id, node_id, lead_id) DO UPDATE
      SET status = 'sending', claimed_at = now(), attempts = message.attempts + 1, recipient = excluded.recipient,
        template_id = excluded.template_id, variant = excluded.variant, ab_test_id = excluded.ab_test_id,
        updated_at = now()
      WHERE message.status = 'queued'
    RETURNING id, ref, execution_id AS "executionId", status, attempts, created_at AS "createdAt"`;
}

/** The messages of executions at their nodes, if there are any. */
export async function readMessages(
  tx: Tx,
  places: readonly { executionId: number; nodeId: string; leadId: number }[],
): Promise<Map<number, MessageRow>> {
  if (!places.length) return new Map();
  const rows = await tx.sql<MessageRow>`
    SELECT message.id, message.ref, message.execution_id AS "executionId", message.status, message.attempts,
      message.created_at AS "createdAt"
    FROM jsonb_to_recordset(${JSON.stringify(places)}::jsonb) AS given ("executionId" bigint, "nodeId" text, "leadId" bigint)
    JOIN message ON message.execution_id = given."executionId" AND message.node_id = given."nodeId"
      AND message.lead_id = given."leadId"`;
  return new Map(rows.map((row) => [row.executionId, row]));
}

/**
 * Records how messages ended; one that was never claimed, because it is skipped, gets its row now.
 * @returns those that the mail server or the SMS provider accepted
 */
export async function endMessages(
  tx: Tx,
  ends: readonly MessageEnd[],
): Promise<Pick<Claim & MessageRow, 'id' | 'channel'>[]> {
  if (!ends.length) return [];
  // In the order of their ids, in which reports and clicks lock messages.
  await tx.sql`SELECT FROM message
    JOIN jsonb_to_recordset(${JSON.stringify(ends)}::jsonb) AS given ("executionId" bigint, "nodeId" text, "leadId" bigint)
      ON message.execution_id = given."executionId" AND message.node_id = given."nodeId" AND message.lead_id = given."leadId"
    ORDER BY message.id FOR UPDATE OF message`;
  const rows = await tx.sql<{ id: number; channel: Claim['channel']; isSent: boolean }>`
    INSERT INTO message (execution_id, workflow_id, node_id, campaign_id, lead_id, channel, recipient, status, subject,
      uncertain, skip_reason, error, sent_at, simulated, updated_at)
    SELECT given."executionId", given."workflowId", given."nodeId", given."campaignId", given."leadId", given.channel,
      given.recipient, given.status, given.subject, given.uncertain, given."skipReason", given.error,
      CASE WHEN given.status = 'sent' THEN now() END, platform.environment() = 'sandbox', now()
    FROM jsonb_to_recordset(${storableJson(ends)}::jsonb) AS given ("executionId" bigint, "workflowId" bigint,
      "nodeId" text, "campaignId" bigint, "leadId" bigint, channel text, recipient text, status text, subject text,
      uncertain boolean, "skipReason" text, error text)
    ORDER BY given."executionId"
    ON CONFLICT (tenant_id, environment, execution_id, node_id, lead_id) DO UPDATE
      -- The provider can report the delivery before it answers.
      SET status = CASE WHEN excluded.status = 'sent' AND message.delivered_at IS NOT NULL THEN 'delivered'
          ELSE excluded.status END,
        subject = coalesce(excluded.subject, message.subject),
        uncertain = excluded.uncertain, skip_reason = excluded.skip_reason, error = excluded.error,
        sent_at = coalesce(message.sent_at, excluded.sent_at), updated_at = now()
      WHERE message.status IN ('queued', 'sending')
    RETURNING id, channel, status IN ('sent', 'delivered') AND NOT uncertain AS "isSent"`;
  return rows.filter(({ isSent }) => isSent);
}
