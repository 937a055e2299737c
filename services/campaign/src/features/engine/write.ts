import type { Tx } from '../../handler.ts';
import type { Ready } from './read-batch.ts';
import { storableJson } from './storable.ts';
import type { Step } from './walk.ts';

/** The new state of an execution. */
export interface Change {
  executionId: number;
  /** The version that it walked, and the type of its node there. */
  number: number;
  nodeType: string | null;
  status: string;
  nodeId: string;
  step: number;
  enteredAt: Date;
  dueAt: Date | null;
  waitsFor: string | null;
  attempts: number;
  endReason: string | null;
  error: string | null;
  steps: Step[];
}

/** Locks the executions that are still in the state in which they were read, and returns their ids. */
export async function lockCurrent(tx: Tx, due: readonly Ready[]): Promise<Set<number>> {
  if (!due.length) return new Set();
  const rows = await tx.sql<{ id: number }>`SELECT execution.id
    FROM jsonb_to_recordset(${JSON.stringify(due.map(({ executionId, wake }) => ({ executionId, wake })))}::jsonb)
      AS given ("executionId" bigint, wake int)
    JOIN execution ON execution.id = given."executionId" AND execution.wake = given.wake
    WHERE execution.status IN ('running', 'waiting') ORDER BY execution.id FOR UPDATE OF execution`;
  return new Set(rows.map(({ id }) => id));
}

/** Records steps; one that was waiting gets its result. */
export async function writeSteps(tx: Tx, steps: readonly (Step & { executionId: number })[]): Promise<void> {
  if (!steps.length) return;
  await tx.sql`
    INSERT INTO execution_step (execution_id, number, node_id, type, outcome, input, result, skip_reason, started_at, ended_at)
    SELECT given."executionId", given.number, given."nodeId", given.type, given.outcome, given.input, given.result,
      given."skipReason", given."startedAt", given."endedAt"
    FROM jsonb_to_recordset(${storableJson(steps)}::jsonb) AS given ("executionId" bigint, number int, "nodeId" text,
      type text, outcome text, input jsonb, result jsonb, "skipReason" text, "startedAt" timestamptz, "endedAt" timestamptz)
    ON CONFLICT (tenant_id, environment, execution_id, number) DO UPDATE
      SET outcome = excluded.outcome, input = execution_step.input || excluded.input,
        result = execution_step.result || excluded.result, skip_reason = excluded.skip_reason, ended_at = excluded.ended_at`;
}

/**
 * Writes the new states of executions. One that was migrated while it walked stays in its new version if that has its node,
 * and otherwise in the version that it walked: a node of one version is never combined with another version.
 */
export async function writeExecutions(tx: Tx, changes: readonly Change[]): Promise<void> {
  if (!changes.length) return;
  const rows = changes.map(({ steps, ...change }) => change);
  await tx.sql`
    UPDATE execution SET status = given.status, node_id = given."nodeId", step = given.step, entered_at = given."enteredAt",
      number = CASE WHEN execution.number <> given.number AND given."dueAt" IS NOT NULL AND EXISTS (SELECT FROM workflow_version AS migrated
        WHERE migrated.workflow_id = execution.workflow_id AND migrated.number = execution.number
          AND migrated.nodes @> jsonb_build_array(jsonb_build_object('nodeId', given."nodeId", 'type', given."nodeType")))
        THEN execution.number ELSE given.number END,
      due_at = given."dueAt", waits_for = given."waitsFor", attempts = given.attempts, end_reason = given."endReason",
      error = given.error, parked = false, ended_at = CASE WHEN given."dueAt" IS NULL THEN now() END
    FROM jsonb_to_recordset(${storableJson(rows)}::jsonb) AS given ("executionId" bigint, number int, "nodeType" text, status text, "nodeId" text,
      step int, "enteredAt" timestamptz, "dueAt" timestamptz, "waitsFor" text, attempts int, "endReason" text, error text)
    WHERE execution.id = given."executionId"`;
}

/**
 * The executions whose workflow or campaign does not run now, with why they end; null if it is only paused. Locks both, so
 * that they are not resumed meanwhile.
 */
export async function findNotRunning(tx: Tx, due: readonly Ready[]): Promise<Map<number, string | null>> {
  if (!due.length) return new Map();
  const ids = due.map(({ executionId }) => executionId);
  const workflows = await tx.sql<{ id: number }>`SELECT id FROM workflow
    WHERE id = ANY(${[...new Set(due.map(({ workflowId }) => workflowId))]}::bigint[]) ORDER BY id FOR SHARE`;
  await tx.sql`SELECT id FROM campaign
    WHERE id = ANY(${[...new Set(due.flatMap(({ campaignId }) => campaignId ?? []))]}::bigint[]) ORDER BY id FOR SHARE`;
  if (!workflows.length) return new Map();
  const rows = await tx.sql<{ id: number; endReason: string | null }>`SELECT execution.id,
      CASE WHEN workflow.status = 'archived' THEN 'workflow_archived'
        WHEN campaign.status = 'completed' THEN 'campaign_completed' END AS "endReason"
    FROM execution
    JOIN workflow ON workflow.id = execution.workflow_id
    LEFT JOIN campaign ON campaign.id = execution.campaign_id
    WHERE execution.id = ANY(${ids}::bigint[]) AND (workflow.status <> 'published' OR campaign.status <> 'active')`;
  return new Map(rows.map(({ id, endReason }) => [id, endReason]));
}
