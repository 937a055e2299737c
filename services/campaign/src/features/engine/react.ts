import { awaitedEvents } from '@tandem/campaign-contract';
import type { Emit } from '@tandem/events';
import type { Schedule } from '@tandem/jobs';
import type { Tx } from '../../handler.ts';
import { endQueuedMessages } from './end-queued.ts';
import { advanceExecutionsJob } from './enroll.ts';

/** Something that a person did, not software. */
export interface PersonDeed {
  type: string;
  leadId: number;
  executionId: number | null;
  /** The channel that it concerns: workflows without messages of it do not end. Absent for all. */
  channel?: 'email' | 'sms';
  /** The topic that it concerns: only workflows of campaigns with this topic end. Absent or null for all. */
  topicId?: number | null;
}

// The word of `exitOn` for what a lead does. A reply ends every workflow of the lead that exits on replies; clicks and
// bounces only the workflow of their message.
const exits: Readonly<Record<string, { word: string; ofMessageOnly?: true }>> = {
  email_reply: { word: 'reply' },
  unsubscribe: { word: 'unsubscribe' },
  email_complaint: { word: 'unsubscribe' },
  conversion: { word: 'conversion' },
  form_submission: { word: 'form_submission' },
  link_click: { word: 'click', ofMessageOnly: true },
  email_bounce: { word: 'bounce', ofMessageOnly: true },
};

/** The word of `exitOn` for a deed; undefined if it ends nothing. */
export function exitWordOf(type: string, isOfMessage: boolean): string | undefined {
  const exit = exits[type];
  return exit && (isOfMessage || !exit.ofMessageOnly) ? exit.word : undefined;
}

/** Whether a deed is the one that an execution waits for: whoever clicks has opened. */
export function wakes(type: string, waitsFor: string): boolean {
  return type === waitsFor || (waitsFor === 'email_open' && type === 'link_click');
}

interface Inside {
  tx: Tx;
  schedule: Schedule;
  emit?: Emit;
}

const isEffective = ({ type }: PersonDeed) => type in exits || awaitedEvents.some((event) => wakes(type, event));

/** Locks the live executions of leads, in the order of all transactions, until the end of this one. */
export async function lockLiveOf(tx: Tx, leadIds: readonly number[]): Promise<void> {
  if (leadIds.length)
    await tx.sql`SELECT FROM execution WHERE lead_id = ANY(${[...new Set(leadIds)]}::bigint[])
      AND status IN ('running', 'waiting') ORDER BY id FOR NO KEY UPDATE`;
}

/**
 * Lets executions react to what leads did: those that wait for it continue, and those whose settings say so end. A message
 * that is being sent at this moment is still recorded. The caller stores the deeds and locks their messages before, because
 * the engine locks messages before executions too.
 */
export async function react({ tx, schedule }: Inside, all: readonly PersonDeed[]): Promise<void> {
  const deeds = all.filter(isEffective);
  if (!deeds.length) return;
  // All executions of the leads: one that is being recorded will wait for the event, or finds it (`findHeard`).
  await lockLiveOf(
    tx,
    deeds.map(({ leadId }) => leadId),
  );
  const exiting = deeds.flatMap(({ type, leadId, executionId, channel, topicId }) => {
    const word = exitWordOf(type, executionId !== null);
    if (word === undefined) return [];
    return [{ word, leadId, executionId: exits[type]?.ofMessageOnly ? executionId : null, channel, topicId }];
  });
  if (exiting.length) {
    const ended = await tx.sql<{ id: number }>`
      UPDATE execution SET status = 'exited', end_reason = ending.word, ended_at = now(), due_at = NULL, waits_for = NULL,
        parked = false, wake = wake + 1
      FROM (
        SELECT DISTINCT ON (live.id) live.id, given.word
        FROM jsonb_to_recordset(${JSON.stringify(exiting)}::jsonb)
          AS given (word text, "leadId" bigint, "executionId" bigint, channel text, "topicId" bigint)
        JOIN execution AS live ON live.lead_id = given."leadId" AND live.status IN ('running', 'waiting')
          AND (given."executionId" IS NULL OR live.id = given."executionId")
        JOIN workflow_version AS version ON version.workflow_id = live.workflow_id AND version.number = live.number
        WHERE coalesce(version.settings -> 'exitOn', '["reply", "unsubscribe"]'::jsonb) ? given.word
          AND (given.channel IS NULL
            OR version.nodes @> jsonb_build_array(jsonb_build_object('type', given.channel)))
          AND (given."topicId" IS NULL
            OR EXISTS (SELECT FROM campaign WHERE campaign.id = live.campaign_id AND campaign.topic_id = given."topicId"))
        ORDER BY live.id) AS ending
      WHERE execution.id = ending.id AND execution.status IN ('running', 'waiting')
      RETURNING execution.id`;
    await endQueuedMessages(
      tx,
      ended.map(({ id }) => id),
    );
  }
  const woken = await tx.sql<{ id: number; wake: number }>`
    UPDATE execution SET due_at = now(), waits_for = NULL, parked = false, wake = wake + 1
    WHERE id IN (
      SELECT waiting.id FROM jsonb_to_recordset(${JSON.stringify(deeds)}::jsonb) AS given (type text, "leadId" bigint)
      JOIN execution AS waiting ON waiting.lead_id = given."leadId" AND waiting.waits_for IS NOT NULL
        AND (waiting.waits_for = given.type OR (waiting.waits_for = 'email_open' AND given.type = 'link_click'))
      -- One whose wait has ended by its time sends the next message already.
      WHERE waiting.status = 'waiting' AND NOT EXISTS (SELECT FROM message
        WHERE message.execution_id = waiting.id AND message.status = 'sending'))
      AND status = 'waiting' AND waits_for IS NOT NULL
    RETURNING id, wake`;
  if (woken.length)
    await schedule(
      advanceExecutionsJob,
      woken.map(({ id, wake }) => ({ executionId: id, wake })),
    );
}
