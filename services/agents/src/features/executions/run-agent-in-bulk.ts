import { bulkRunStarted, type executions, leadErrors } from '@tandem/agents-contract';
import { actingUserId, type Caller } from '@tandem/caller';
import { fail } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { type AgentRecord, asAgent, lockAgent } from '../agents/agent.ts';
import { executionJobs, liveStatuses, workOf } from './execution.ts';

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
}

export const runAgentInBulk = (tools: Tools): Handler<typeof executions.runAgentInBulk, Found> => ({
  async check({ params, body, caller, tx }) {
    const row = await tx.agent.findFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    const agent = mayRun(asAgent(row));
    const { tenantId } = caller;
    const given = body.leadIds.map((text) => ({ text, leadId: tools.ids.decode('lead', tenantId, text) }));
    return { agent, given, known: await findLeads(tools, caller, given) };
  },
  async run({ body, caller, tx, emit, schedule, found }) {
    const { agent, given } = found;
    const errors = refusals(found, agent.limits.dailyCap === null ? undefined : await room(tx, found));
    const accepted = given.flatMap(({ leadId }, index) => (errors[index] || leadId === undefined ? [] : [leadId]));
    const by = actingUserId(caller) ?? null;
    const scheduledFor = body.scheduledFor ?? null;
    const planned = { total: given.length, accepted: accepted.length, rejected: given.length - accepted.length };
    const run = await tx.bulkRun.create({ data: { agentId: agent.id, ...planned, scheduledFor, createdBy: by } });
    const rows = accepted.length
      ? await tx.execution.createManyAndReturn({
          // In one order, so that two requests for the same leads wait for one another and not each for the other.
          data: accepted
            .sort((a, b) => a - b)
            .map((leadId) => ({
              ...{ agentId: agent.id, kind: agent.kind, trigger: 'bulk', bulkRunId: run.id, leadId, scheduledFor },
              ...{ actingUserId: by, ...(body.input && { input: body.input as object }) },
            })),
          // Those that the agent is at work for already are left out.
          skipDuplicates: true,
          select: { id: true, leadId: true },
        })
      : [];
    const counts = { total: given.length, accepted: rows.length, rejected: given.length - rows.length };
    if (rows.length < accepted.length) await tx.bulkRun.updateMany({ where: { id: run.id }, data: counts });
    const { tenantId = 0, environment } = caller;
    const payloads = rows.map(({ id }) => ({ executionId: id, tenantId, environment }));
    if (payloads.length) await schedule(executionJobs[workOf(agent.kind)], payloads, body.scheduledFor);
    emit(bulkRunStarted, { data: { bulkRunId: run.id, agentId: agent.id }, record: { ...run, ...counts } });
    const executionOf = new Map(rows.map((row) => [row.leadId, row.id]));
    const results = given.map(({ text, leadId }, index) => {
      const executionId = errors[index] ? undefined : executionOf.get(leadId as number);
      if (executionId !== undefined) return { leadId: text, status: 'success' as const, executionId };
      const code = errors[index] ?? 'already_running';
      return { leadId: text, status: 'error' as const, error: { code, message: leadErrors[code] } };
    });
    return { bulkRunId: run.id, agentId: agent.id, ...counts, results };
  },
});

function mayRun(agent: AgentRecord): AgentRecord {
  if (agent.status !== 'paused') return agent;
  throw fail('agent_paused', [{ field: 'status', message: 'Must be active; POST /v1/agents/:id/resume' }]);
}

/** Those of the leads that crm knows, asked for at once. */
async function findLeads({ crm }: Tools, caller: Caller, given: Given[]): Promise<Set<number>> {
  const ids = [...new Set(given.flatMap(({ leadId }) => leadId ?? []))];
  if (!ids.length) return new Set();
  const { type, permissions, ...as } = caller;
  const leads = await crm.findLeads({ body: { ids }, as }).catch(() => {
    throw fail('unavailable');
  });
  return new Set(leads.map(({ id }) => id));
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

/** What a daily cap leaves. */
interface Room {
  left: number;
  /** Leads that the agent is at work for, and that take nothing of what is left. */
  busy: Set<number>;
}

/**
 * Asked only of an agent with a cap, which is held until the end, so that two requests at once do not exceed it together.
 * Others need not wait for one another: the index of live executions keeps a lead from being started twice.
 */
async function room(tx: Tx, { agent: { id: agentId }, known }: Found): Promise<Room> {
  const { limits } = mayRun(await lockAgent(tx, agentId));
  const midnight = new Date(new Date().setUTCHours(0, 0, 0, 0));
  const today = await tx.execution.count({ where: { agentId, createdAt: { gte: midnight } } });
  const where = { agentId, leadId: { in: [...known] }, status: { in: liveStatuses } };
  const busy = await tx.execution.findMany({ where, select: { leadId: true } });
  return {
    left: (limits.dailyCap ?? Number.POSITIVE_INFINITY) - today,
    busy: new Set(busy.map(({ leadId }) => leadId)),
  };
}
