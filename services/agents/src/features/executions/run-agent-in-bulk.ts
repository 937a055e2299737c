import { bulkRunStarted, type executions, leadErrors } from '@tandem/agents-contract';
import { actingUserId, type Caller } from '@tandem/caller';
import { fail } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { type AgentRecord, lockAgent } from '../agents/agent.ts';
import { executionJob, liveStatuses } from './execution.ts';

/** A lead of the request: the text given, and the lead that it names. */
interface Given {
  text: string;
  leadId: number | undefined;
}

type LeadError = keyof typeof leadErrors;

interface Found {
  given: Given[];
  known: Set<number>;
}

export const runAgentInBulk = (tools: Tools): Handler<typeof executions.runAgentInBulk, Found> => ({
  async check({ params, body, caller, tx }) {
    if (!(await tx.agent.count({ where: { id: params.id } }))) throw fail('not_found');
    const { tenantId } = caller;
    const given = body.leadIds.map((text) => ({ text, leadId: tools.ids.decode('lead', tenantId, text) }));
    return { given, known: await findLeads(tools, caller, given) };
  },
  async run({ params, body, caller, tx, emit, schedule, found }) {
    // Under its lock, so that two requests at once neither start one lead twice nor exceed the cap together.
    const agent = await lockAgent(tx, params.id);
    if (agent.status === 'paused')
      throw fail('agent_paused', [{ field: 'status', message: 'Must be active; POST /v1/agents/:id/resume' }]);
    const errors = await refusals(tx, agent, found);
    const accepted = found.given.flatMap(({ leadId }, index) =>
      errors[index] || leadId === undefined ? [] : [leadId],
    );
    const counts = {
      total: found.given.length,
      accepted: accepted.length,
      rejected: found.given.length - accepted.length,
    };
    const by = actingUserId(caller) ?? null;
    const scheduledFor = body.scheduledFor ?? null;
    const run = await tx.bulkRun.create({ data: { agentId: agent.id, ...counts, scheduledFor, createdBy: by } });
    const rows = accepted.length
      ? await tx.execution.createManyAndReturn({
          data: accepted.map((leadId) => ({
            ...{ agentId: agent.id, kind: agent.kind, trigger: 'bulk', bulkRunId: run.id, leadId, scheduledFor },
            ...{ actingUserId: by, ...(body.input && { input: body.input as object }) },
          })),
          select: { id: true, leadId: true },
        })
      : [];
    const { tenantId = 0, environment } = caller;
    const payloads = rows.map(({ id }) => ({ executionId: id, tenantId, environment }));
    if (payloads.length) await schedule(executionJob, payloads, body.scheduledFor);
    emit(bulkRunStarted, { data: { bulkRunId: run.id, agentId: agent.id }, record: run });
    const executionOf = new Map(rows.map((row) => [row.leadId, row.id]));
    const results = found.given.map(({ text, leadId }, index) => {
      const code = errors[index];
      if (code) return { leadId: text, status: 'error' as const, error: { code, message: leadErrors[code] } };
      return { leadId: text, status: 'success' as const, executionId: executionOf.get(leadId as number) as number };
    });
    return { bulkRunId: run.id, agentId: agent.id, ...counts, results };
  },
});

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

/** Why each lead of the request is refused; undefined for one that is not. */
async function refusals(tx: Tx, agent: AgentRecord, { given, known }: Found): Promise<(LeadError | undefined)[]> {
  const ids = [...known];
  const busy = await tx.execution.findMany({
    where: { agentId: agent.id, leadId: { in: ids }, status: { in: liveStatuses } },
    select: { leadId: true },
  });
  const isBusy = new Set(busy.map(({ leadId }) => leadId));
  let left = await leftToday(tx, agent);
  const seen = new Set<number>();
  return given.map(({ leadId }) => {
    if (leadId === undefined || !known.has(leadId)) return 'lead_not_found';
    if (seen.has(leadId)) return 'duplicate_in_request';
    seen.add(leadId);
    if (isBusy.has(leadId)) return 'already_running';
    if (left < 1) return 'limit_reached';
    left--;
    return undefined;
  });
}

/** How many executions may still be queued today. */
async function leftToday(tx: Tx, { id, limits: { dailyCap } }: AgentRecord): Promise<number> {
  if (dailyCap === null) return Number.POSITIVE_INFINITY;
  const midnight = new Date(new Date().setUTCHours(0, 0, 0, 0));
  return dailyCap - (await tx.execution.count({ where: { agentId: id, createdAt: { gte: midnight } } }));
}
