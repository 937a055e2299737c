import { messageEngaged, type messageEngagementTypes, type ownEngagementTypes } from '@tandem/campaign-contract';
import type { Emit, Schedule } from '@tandem/events';
import type { Tools, Tx } from '../../handler.ts';
import { react } from '../engine/react.ts';

/** How the ids begin under which analytics records what campaign reports. */
export const ownInsertIds = 'campaign-';

export interface MessageDeed {
  messageId: number;
  type: (typeof messageEngagementTypes)[number] | (typeof ownEngagementTypes)[number];
  at: Date;
  automated: boolean;
  url?: string | null;
  /** Of several deeds with the same one, only the first is recorded. */
  sourceId?: string;
}

interface Inside {
  tx: Tx;
  emit: Emit<typeof messageEngaged>;
  schedule: Schedule;
}

interface Engaged {
  id: number;
  type: MessageDeed['type'];
  at: Date;
  automated: boolean;
  url: string | null;
  leadId: number;
  messageId: number;
  executionId: number | null;
  tenantId: number;
}

/**
 * Records what happened to messages, tells analytics, and lets executions react to what people did. Messages that were
 * removed are left out.
 * @returns the ids of the messages of the deeds that are new
 */
export async function engage(
  { tx, emit, schedule }: Inside,
  { ids }: Pick<Tools, 'ids'>,
  deeds: readonly MessageDeed[],
): Promise<number[]> {
  if (!deeds.length) return [];
  const rows = await tx.sql<Engaged>`
    INSERT INTO engagement (type, lead_id, message_id, execution_id, campaign_id, workflow_id, node_id, url, automated, at,
      source_id)
    SELECT given.type, message.lead_id, message.id, message.execution_id, message.campaign_id, message.workflow_id,
      message.node_id, given.url, given.automated, given.at, coalesce(given."sourceId", gen_random_uuid()::text)
    FROM jsonb_to_recordset(${JSON.stringify(deeds)}::jsonb)
      AS given ("messageId" bigint, type text, at timestamptz, automated boolean, url text, "sourceId" text)
    JOIN message ON message.id = given."messageId"
    -- So that two transactions with the same deeds cannot wait for each other.
    ORDER BY given."sourceId"
    ON CONFLICT (tenant_id, environment, source_id) DO NOTHING
    RETURNING id, type, at, automated, url, lead_id AS "leadId", message_id AS "messageId",
      execution_id AS "executionId", tenant_id AS "tenantId"`;
  const byPeople = rows.filter(({ automated }) => !automated);
  await markMessages(tx, byPeople);
  await react({ tx, schedule }, byPeople);
  for (const { id, type: own, at, automated, url, leadId, messageId, executionId, tenantId } of rows) {
    const type = own === 'email_auto_reply' ? 'email_reply' : own;
    emit(messageEngaged, {
      data: {
        type,
        leadId,
        message: ids.encode('message', tenantId, messageId),
        execution: executionId === null ? null : ids.encode('workflow_execution', tenantId, executionId),
        insertId: `${ownInsertIds}${id}`,
        at,
        automated,
        url,
      },
      record: { id: messageId },
    });
  }
  return rows.map(({ messageId }) => messageId);
}

/**
 * Marks messages as opened, clicked and so on. Locks them in the order of their ids, so that two transactions cannot wait for
 * each other. A click counts as an open, because many mail clients do not load images.
 */
async function markMessages(tx: Tx, deeds: readonly Engaged[]): Promise<void> {
  const marks = deeds.filter(({ type }) => type !== 'email_sent' && type !== 'sms_sent');
  if (!marks.length) return;
  await tx.sql`
    WITH locked AS (
      SELECT id FROM message WHERE id = ANY(${marks.map(({ messageId }) => messageId)}::bigint[]) ORDER BY id FOR UPDATE)
    UPDATE message SET
      opened_at = CASE WHEN given.opened THEN coalesce(opened_at, given.at) ELSE opened_at END,
      clicked_at = CASE WHEN given.clicked THEN coalesce(clicked_at, given.at) ELSE clicked_at END,
      replied_at = CASE WHEN given.replied THEN coalesce(replied_at, given.at) ELSE replied_at END,
      bounced_at = CASE WHEN given.bounced THEN coalesce(bounced_at, given.at) ELSE bounced_at END,
      complained_at = CASE WHEN given.complained THEN coalesce(complained_at, given.at) ELSE complained_at END,
      -- A bounce can arrive before the answer of the mail server is stored.
      sent_at = CASE WHEN given.bounced OR given.complained THEN coalesce(sent_at, given.at) ELSE sent_at END,
      status = CASE WHEN given.complained THEN 'complained' WHEN given.bounced AND complained_at IS NULL THEN 'bounced'
        ELSE status END,
      updated_at = now()
    FROM locked
      JOIN (SELECT "messageId", bool_or(type IN ('email_open', 'link_click')) AS opened, bool_or(type = 'link_click') AS clicked,
        bool_or(type = 'email_reply') AS replied, bool_or(type = 'email_bounce') AS bounced,
        bool_or(type = 'email_complaint') AS complained, min(at) AS at
      FROM jsonb_to_recordset(${JSON.stringify(marks)}::jsonb) AS mark ("messageId" bigint, type text, at timestamptz)
        GROUP BY "messageId") AS given ON given."messageId" = locked.id
    WHERE message.id = locked.id`;
}
