import { bulkRunStarted, type executions, leadErrors } from '@tandem/agents-contract';
import { actingUserId, type Caller } from '@tandem/caller';
import { asService, fail, failField, reachOf } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { type AgentRecord, asAgent, lockAgent } from '../agents/agent.ts';
import { executionJobs, liveStatuses, workOf } from './execution.ts';

// Clocks of clients differ from ours.
const clockToleranceMs = 60_000;
const dayMs = 86_400_000;
const scheduleMaxMs = 366 * dayMs;

/** A lead of the request: the text given, and the lead that it names. */
interface Given {
  text: string;
  leadId: number | undefined;
}

type LeadError = keyof typeof leadErrors;

interface Found {
  agent: AgentRecord;
  given: Given[];
  known: Set<number>;
  /** The tenant's time zone; asked for only when the agent has a daily cap. */
  timezone: string | undefined;
}

export const runAgentInBulk = (tools: Tools): Handler<typeof executions.runAgentInBulk, Found> => ({
  async check({ params, body, caller, tx }) {
    checkSchedule(body.scheduledFor);
    const row = await tx.agent.findFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    const agent = mayRun(asAgent(row));
    const { tenantId } = caller;
    const given = body.leadIds.map((text) => ({ text, leadId: tools.ids.decode('lead', tenantId, text) }));
    const timezone = agent.limits.dailyCap === null ? undefined : await timezoneOf(tools, caller);
    return { agent, given, known: await findLeads(tools, caller, given), timezone };
  },
  async run({ body, caller, tx, emit, schedule, found }) {
    const { agent, given } = found;
    const errors = refusals(
      found,
      found.timezone === undefined
        ? undefined
        : await room(tx, { ...found, timezone: found.timezone }, body.scheduledFor),
    );
    const accepted = given.flatMap(({ leadId }, index) => (errors[index] || leadId === undefined ? [] : [leadId]));
    const by = actingUserId(caller) ?? null;
    const scheduledFor = body.scheduledFor ?? null;
    const planned = { total: given.length, accepted: accepted.length, rejected: given.length - accepted.length };
    const { runId, rows } = await start(tx, { agent, planned, leadIds: accepted, scheduledFor, by, input: body.input });
    const counts = { total: given.length, accepted: rows.length, rejected: given.length - rows.length };
    if (rows.length < accepted.length) await tx.bulkRun.updateMany({ where: { id: runId }, data: counts });
    const { tenantId = 0, environment } = caller;
    const payloads = rows.map(({ id }) => ({ executionId: id, tenantId, environment }));
    if (payloads.length) await schedule(executionJobs[workOf(agent.kind)], payloads, body.scheduledFor);
    const ids = { bulkRunId: runId, agentId: agent.id };
    emit(bulkRunStarted, { data: ids, record: { id: runId, agentId: agent.id, ...counts } });
    const executionOf = new Map(rows.map((row) => [row.leadId, row.id]));
    const results = given.map(({ text, leadId }, index) => {
      const executionId = errors[index] ? undefined : executionOf.get(leadId as number);
      if (executionId !== undefined) return { leadId: text, status: 'success' as const, executionId };
      const code = errors[index] ?? 'already_running';
      return { leadId: text, status: 'error' as const, error: { code, message: leadErrors[code] } };
    });
    return { ...ids, ...counts, results };
  },
});

interface Start {
  agent: AgentRecord;
  planned: { total: number; accepted: number; rejected: number };
  leadIds: number[];
  scheduledFor: Date | null;
  by: number | null;
  input: object | null | undefined;
}

/** Writes the run with its executions; those leads are left out that the agent is at work for already. */
async function start(tx: Tx, { agent, planned, leadIds, scheduledFor, by, input }: Start) {
  const found = await tx.sql<{ run_id: number; id: number | null; lead_id: number }>`
    WITH run AS (
      INSERT INTO bulk_run (agent_id, total, accepted, rejected, scheduled_for, created_by)
      VALUES (${agent.id}, ${planned.total}, ${planned.accepted}, ${planned.rejected}, ${scheduledFor}, ${by}) RETURNING id),
    started AS (
      INSERT INTO execution (agent_id, kind, trigger, bulk_run_id, lead_id, scheduled_for, acting_user_id, input)
      SELECT ${agent.id}::bigint, ${agent.kind}::text, 'bulk', run.id, lead.id::bigint, ${scheduledFor}::timestamptz,
        ${by}::bigint, ${input ? JSON.stringify(input) : null}::jsonb
      FROM run, jsonb_array_elements_text(${JSON.stringify(leadIds)}::jsonb) AS lead (id)
      -- In one order, so that two requests for the same leads wait for one another and not each for the other.
      ORDER BY lead.id::bigint ON CONFLICT DO NOTHING RETURNING id, lead_id)
    SELECT run.id AS run_id, started.id, started.lead_id FROM run LEFT JOIN started ON true`;
  const rows = found.flatMap(({ id, lead_id }) => (id === null ? [] : [{ id, leadId: lead_id }]));
  return { runId: (found[0] as (typeof found)[0]).run_id, rows };
}

function checkSchedule(at: Date | undefined): void {
  if (!at) return;
  const inMs = at.getTime() - Date.now();
  if (inMs < -clockToleranceMs) throw failField('scheduledFor', 'Must not be in the past');
  if (inMs > scheduleMaxMs) throw failField('scheduledFor', 'Must be at most a year ahead');
}

function mayRun(agent: AgentRecord): AgentRecord {
  if (agent.status !== 'paused') return agent;
  throw fail('agent_paused', [{ field: 'status', message: 'Must be active; POST /v1/agents/:id/resume' }]);
}

/** Asks in one request which of the leads exist and may be read by the caller. */
async function findLeads({ crm }: Tools, caller: Caller, given: Given[]): Promise<Set<number>> {
  const ids = [...new Set(given.flatMap(({ leadId }) => leadId ?? []))];
  if (!ids.length) return new Set();
  const as = asService(caller, reachOf(caller, 'leads:read'));
  const leads = await crm.findLeads({ body: { ids }, as }).catch(() => {
    throw fail('unavailable');
  });
  return new Set(leads.map(({ id }) => id));
}

async function timezoneOf({ identity }: Tools, { type, permissions, ...as }: Caller): Promise<string> {
  const { timezone } = await identity.readTenantSettings({ as }).catch(() => {
    throw fail('unavailable');
  });
  return timezone;
}

/** Why each lead of the request is refused before it is tried; undefined for one that is not. */
function refusals({ given, known }: Found, room?: Room): (LeadError | undefined)[] {
  let left = room?.left ?? Number.POSITIVE_INFINITY;
  const seen = new Set<number>();
  return given.map(({ leadId }) => {
    if (leadId === undefined || !known.has(leadId)) return 'lead_not_found';
    if (seen.has(leadId)) return 'duplicate_in_request';
    seen.add(leadId);
    if (room?.busy.has(leadId)) return 'already_running';
    if (left < 1) return 'limit_reached';
    left--;
    return undefined;
  });
}

/** The remaining part of a daily cap on the day the run is due, in the tenant's time zone. */
interface Room {
  left: number;
  /** Leads that the agent is at work for, and that take nothing of what is left. */
  busy: Set<number>;
}

/**
 * Asked only of an agent with a cap, which is held until the end, so that two requests at once do not exceed it together.
 * Others need not wait for one another: the index of live executions keeps a lead from being started twice.
 */
async function room(
  tx: Tx,
  { agent: { id: agentId }, known, timezone }: Found & { timezone: string },
  dueAt = new Date(),
): Promise<Room> {
  const { limits } = mayRun(await lockAgent(tx, agentId));
  // An execution counts on the day it is due: when it was created unless it was scheduled.
  const [{ planned } = { planned: 0 }] = await tx.sql<{ planned: number }>`
    WITH day AS (
      SELECT start AT TIME ZONE ${timezone} AS start, (start + interval '1 day') AT TIME ZONE ${timezone} AS "end"
      FROM date_trunc('day', ${dueAt}::timestamptz AT TIME ZONE ${timezone}) AS start)
    SELECT count(*)::int AS planned FROM day, execution
    WHERE agent_id = ${agentId} AND (scheduled_for >= day.start AND scheduled_for < day."end"
      OR scheduled_for IS NULL AND created_at >= day.start AND created_at < day."end")`;
  const where = { agentId, leadId: { in: [...known] }, status: { in: liveStatuses } };
  const busy = await tx.execution.findMany({ where, select: { leadId: true } });
  return {
    left: (limits.dailyCap ?? Number.POSITIVE_INFINITY) - planned,
    busy: new Set(busy.map(({ leadId }) => leadId)),
  };
}
