import { messageEngaged, type messageEngagementTypes } from '@tandem/campaign-contract';
import type { Emit, Schedule } from '@tandem/events';
import type { Tools, Tx } from '../../handler.ts';
import { react } from '../engine/react.ts';

/** How the ids begin under which analytics records what campaign reports. */
export const ownInsertIds = 'campaign-';

export interface MessageDeed {
  messageId: number;
  type: (typeof messageEngagementTypes)[number];
  at: Date;
  automated: boolean;
  url?: string | null;
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
 */
export async function engage(
  { tx, emit, schedule }: Inside,
  { ids }: Pick<Tools, 'ids'>,
  deeds: readonly MessageDeed[],
): Promise<void> {
  if (!deeds.length) return;
  const rows = await tx.sql<Engaged>`
    INSERT INTO engagement (type, lead_id, message_id, execution_id, campaign_id, workflow_id, node_id, url, automated, at)
    SELECT given.type, message.lead_id, message.id, message.execution_id, message.campaign_id, message.workflow_id,
      message.node_id, given.url, given.automated, given.at
    FROM jsonb_to_recordset(${JSON.stringify(deeds)}::jsonb)
      AS given ("messageId" bigint, type text, at timestamptz, automated boolean, url text)
    JOIN message ON message.id = given."messageId"
    RETURNING id, type, at, automated, url, lead_id AS "leadId", message_id AS "messageId",
      execution_id AS "executionId", tenant_id AS "tenantId"`;
  const byPeople = rows.filter(({ automated }) => !automated);
  await markMessages(tx, byPeople);
  await react({ tx, schedule }, byPeople);
  for (const { id, type, at, automated, url, leadId, messageId, executionId, tenantId } of rows)
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

/** Whoever clicks has opened the message, even if the mail program loads no images. */
async function markMessages(tx: Tx, deeds: readonly Engaged[]): Promise<void> {
  const marks = deeds.filter(({ type }) => type !== 'email_sent' && type !== 'sms_sent');
  if (!marks.length) return;
  await tx.sql`
    UPDATE message SET
      opened_at = CASE WHEN given.opened THEN coalesce(opened_at, given.at) ELSE opened_at END,
      clicked_at = CASE WHEN given.clicked THEN coalesce(clicked_at, given.at) ELSE clicked_at END,
      replied_at = CASE WHEN given.replied THEN coalesce(replied_at, given.at) ELSE replied_at END,
      updated_at = now()
    FROM (SELECT "messageId", bool_or(type IN ('email_open', 'link_click')) AS opened, bool_or(type = 'link_click') AS clicked,
        bool_or(type = 'email_reply') AS replied, min(at) AS at
      FROM jsonb_to_recordset(${JSON.stringify(marks)}::jsonb) AS mark ("messageId" bigint, type text, at timestamptz)
      GROUP BY "messageId") AS given
    WHERE message.id = given."messageId"`;
}
