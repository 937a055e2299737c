import type { Tx } from '../../handler.ts';
import type { AgentRecord } from '../agents/agent.ts';

interface NewRun {
  agent: AgentRecord;
  /** Number of leads in the request. */
  total: number;
  /** The leads to start executions for, with the executions that these repeat. */
  leads: { leadId: number; retryOf: number | null }[];
  scheduledFor: Date | null;
  createdBy: number | null;
  input: object | null;
  /** The run whose failed executions this one repeats. */
  retryOf: number | null;
  /** The schedule that starts the run. */
  scheduleId: number | null;
}

/**
 * Stores a bulk run and its executions. A unique index skips leads that already have a live execution of the agent.
 * @returns the run id, and the ids of the started executions by lead
 */
export async function insertRun(tx: Tx, run: NewRun): Promise<{ runId: number; executions: Map<number, number> }> {
  const { agent, total, leads, scheduledFor, createdBy, input, retryOf, scheduleId } = run;
  const rows = await tx.sql<{ run_id: number; execution_id: number | null; lead_id: number }>`
    WITH run AS (
      INSERT INTO bulk_run (agent_id, total, accepted, rejected, scheduled_for, created_by, retry_of, schedule_id)
      VALUES (${agent.id}, ${total}, ${leads.length}, ${total - leads.length}, ${scheduledFor}, ${createdBy}, ${retryOf},
        ${scheduleId})
      RETURNING id),
    started AS (
      INSERT INTO execution (agent_id, kind, trigger, bulk_run_id, lead_id, scheduled_for, acting_user_id, input, retry_of,
        schedule_id)
      SELECT ${agent.id}::bigint, ${agent.kind}::text, ${scheduleId === null ? 'bulk' : 'schedule'}::text, run.id, lead."leadId", ${scheduledFor}::timestamptz,
        ${createdBy}::bigint, ${input && JSON.stringify(input)}::jsonb, lead."retryOf", ${scheduleId}::bigint
      FROM run, jsonb_to_recordset(${JSON.stringify(leads)}::jsonb) AS lead ("leadId" bigint, "retryOf" bigint)
      -- In one order: two requests for the same leads then wait for each other instead of ending in a deadlock.
      ORDER BY lead."leadId" ON CONFLICT DO NOTHING RETURNING id, lead_id)
    SELECT run.id AS run_id, started.id AS execution_id, started.lead_id FROM run LEFT JOIN started ON true`;
  const { run_id: runId } = rows[0] as (typeof rows)[0];
  const executions = new Map(
    rows.flatMap(({ execution_id: id, lead_id: leadId }): [number, number][] => (id === null ? [] : [[leadId, id]])),
  );
  if (executions.size < leads.length) {
    const counts = { accepted: executions.size, rejected: total - executions.size };
    await tx.bulkRun.updateMany({ where: { id: runId }, data: counts });
  }
  return { runId, executions };
}

/** A lead of a run that gets no execution. */
export interface RejectedLead {
  publicId: string;
  leadId: number | undefined;
  code: string;
}

// Any other text of a request may be data of a person, such as an e-mail address.
const idForm = /^\w{1,64}$/;

/** Stores the rejected leads of a run, with ids of the sequence of executions: see `bulkRunItems`. */
export async function insertRejections(tx: Tx, runId: number, rejected: readonly RejectedLead[]): Promise<void> {
  if (!rejected.length) return;
  const rows = rejected.map(({ publicId, leadId = null, code }) => ({
    requestedId: idForm.test(publicId) ? publicId : null,
    leadId,
    code,
  }));
  await tx.sql`
    INSERT INTO bulk_run_rejection (id, bulk_run_id, requested_id, lead_id, code)
    SELECT nextval(pg_get_serial_sequence('execution', 'id')), ${runId}::bigint, row."requestedId", row."leadId", row.code
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row ("requestedId" text, "leadId" bigint, code text)`;
}
