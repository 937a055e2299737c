import type { Tx } from '../../handler.ts';
import type { AgentRecord } from '../agents/agent.ts';

interface NewBulkRun {
  agent: AgentRecord;
  /** How many leads the request named. */
  total: number;
  /** The leads to start executions for. */
  leadIds: number[];
  scheduledFor: Date | null;
  createdBy: number | null;
  input: object | null;
}

/**
 * Writes a bulk run and its executions. The index of live executions leaves out leads that the agent is working for already.
 * @returns the run, and the ids of the started executions by lead
 */
export async function startBulkRun(
  tx: Tx,
  run: NewBulkRun,
): Promise<{ runId: number; executions: Map<number, number> }> {
  const { agent, total, leadIds, scheduledFor, createdBy, input } = run;
  const rows = await tx.sql<{ run_id: number; execution_id: number | null; lead_id: number }>`
    WITH run AS (
      INSERT INTO bulk_run (agent_id, total, accepted, rejected, scheduled_for, created_by)
      VALUES (${agent.id}, ${total}, ${leadIds.length}, ${total - leadIds.length}, ${scheduledFor}, ${createdBy})
      RETURNING id),
    started AS (
      INSERT INTO execution (agent_id, kind, trigger, bulk_run_id, lead_id, scheduled_for, acting_user_id, input)
      SELECT ${agent.id}::bigint, ${agent.kind}::text, 'bulk', run.id, lead.id::bigint, ${scheduledFor}::timestamptz,
        ${createdBy}::bigint, ${input && JSON.stringify(input)}::jsonb
      FROM run, jsonb_array_elements_text(${JSON.stringify(leadIds)}::jsonb) AS lead (id)
      -- In one order: two requests for the same leads then wait for each other instead of ending in a deadlock.
      ORDER BY lead.id::bigint ON CONFLICT DO NOTHING RETURNING id, lead_id)
    SELECT run.id AS run_id, started.id AS execution_id, started.lead_id FROM run LEFT JOIN started ON true`;
  const { run_id: runId } = rows[0] as (typeof rows)[0];
  const executions = new Map(
    rows.flatMap(({ execution_id: id, lead_id: leadId }): [number, number][] => (id === null ? [] : [[leadId, id]])),
  );
  if (executions.size < leadIds.length) {
    const counts = { accepted: executions.size, rejected: total - executions.size };
    await tx.bulkRun.updateMany({ where: { id: runId }, data: counts });
  }
  return { runId, executions };
}
