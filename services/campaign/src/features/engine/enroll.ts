import { effectiveSettings, type executionSources, type WorkflowSettings } from '@tandem/campaign-contract';
import type { Schedule } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { after } from './timing.ts';

/** The job that continues executions. A payload with an outdated `wake` has no effect. */
export const advanceExecutionsJob = {
  name: 'advance-executions',
  payload: z.object({ executionId: z.int(), wake: z.int() }),
};

/** The same for executions at webhook nodes. */
export const callWebhooksJob = { name: 'call-webhooks', payload: advanceExecutionsJob.payload };

/** The job that walks new executions to their first node that waits or has an effect outside. */
export const enterExecutionsJob = { name: 'enter-executions', payload: advanceExecutionsJob.payload };

/** How many workflows may lead to one another. */
export const chainMax = 5;

/** A published workflow into which leads are enrolled. */
export interface Enterable {
  id: number;
  campaignId: number | null;
  publishedVersion: number;
  settings: WorkflowSettings;
  /** The node at which executions begin. */
  triggerNodeId: string;
}

export interface Enrollment {
  leadId: number;
  eventId?: string | null;
  chain?: readonly number[];
  payload?: object;
}

export interface Enrolled {
  leadId: number;
  result: 'enrolled' | 'already_in' | 'reentry_blocked';
  executionId: number | null;
}

/**
 * Enrolls leads in the current transaction. A lead is in a workflow once at a time: concurrent calls for the same lead
 * wait for each other. The same event enrolls a lead once. Nobody enters a workflow that is no longer published, because a
 * deleted workflow would lose the execution.
 */
export async function enroll(
  { tx, schedule }: { tx: Tx; schedule: Schedule },
  workflow: Enterable,
  entries: readonly Enrollment[],
  { source }: { source: (typeof executionSources)[number] },
): Promise<Enrolled[]> {
  if (!entries.length) return [];
  const { reentry, reentryDelay } = effectiveSettings(workflow.settings);
  const now = new Date();
  const delayMs =
    reentry === 'after_exit' && reentryDelay ? after(now, reentryDelay, 'UTC').getTime() - now.getTime() : 0;
  const given = entries.map(({ leadId, eventId = null, chain = [], payload = {} }) => ({
    leadId,
    eventId,
    chain,
    payload,
  }));
  // In the order of the leads, so that two calls cannot wait for each other.
  const inserted = await tx.sql<{ id: number; leadId: number; wake: number }>`
    INSERT INTO execution (workflow_id, number, campaign_id, lead_id, status, node_id, due_at, source, event_id, chain, payload)
    SELECT ${workflow.id}, ${workflow.publishedVersion}, ${workflow.campaignId}, given."leadId", 'running',
      ${workflow.triggerNodeId}, ${now}::timestamptz, ${source}, given."eventId",
      ARRAY(SELECT jsonb_array_elements_text(given.chain)::bigint), given.payload
    FROM jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
      AS given ("leadId" bigint, "eventId" text, chain jsonb, payload jsonb)
    WHERE EXISTS (SELECT FROM workflow WHERE id = ${workflow.id} AND status = 'published' FOR SHARE)
      AND (${reentry === 'always'} OR NOT EXISTS (
        SELECT FROM execution AS earlier
        WHERE earlier.workflow_id = ${workflow.id} AND earlier.lead_id = given."leadId"
          AND (${reentry === 'never'} OR earlier.ended_at > now() - make_interval(secs => ${delayMs / 1000}::float))))
    ORDER BY given."leadId"
    ON CONFLICT DO NOTHING
    RETURNING id, lead_id AS "leadId", wake`;
  if (inserted.length)
    await schedule(
      enterExecutionsJob,
      inserted.map(({ id, wake }) => ({ executionId: id, wake })),
    );
  const executionOf = new Map(inserted.map(({ leadId, id }) => [leadId, id]));
  const others = entries.filter(({ leadId }) => !executionOf.has(leadId)).map(({ leadId }) => leadId);
  const live = await liveExecutions(tx, workflow.id, others);
  return entries.map(({ leadId }) => {
    const executionId = executionOf.get(leadId);
    if (executionId !== undefined) return { leadId, result: 'enrolled', executionId };
    const running = live.get(leadId);
    return { leadId, result: running === undefined ? 'reentry_blocked' : 'already_in', executionId: running ?? null };
  });
}

async function liveExecutions(tx: Tx, workflowId: number, leadIds: readonly number[]): Promise<Map<number, number>> {
  if (!leadIds.length) return new Map();
  const rows = await tx.sql<{ id: number; leadId: number }>`SELECT id, lead_id AS "leadId" FROM execution
    WHERE workflow_id = ${workflowId} AND lead_id = ANY(${leadIds}::bigint[]) AND status IN ('running', 'waiting')`;
  return new Map(rows.map(({ id, leadId }) => [leadId, id]));
}
