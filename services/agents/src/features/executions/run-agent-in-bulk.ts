import { bulkRunStarted, type executions, leadErrors } from '@tandem/agents-contract';
import { actingUserId, type Caller } from '@tandem/caller';
import { asService, fail, failField, reachOf } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { timezoneOf } from '../../tenant-timezone.ts';
import { type AgentRecord, asAgent, checkActive } from '../agents/agent.ts';
import { lockCapacity, type RemainingCapacity } from './daily-cap.ts';
import { executionJobs, workOf } from './execution.ts';
import { startBulkRun } from './start-bulk-run.ts';

// Allows for clock differences between clients and the server.
const clockToleranceMs = 60_000;
const dayMs = 86_400_000;
const scheduleMaxMs = 366 * dayMs;

/** A lead of the request. */
interface RequestedLead {
  publicId: string;
  /** Undefined when the public id is not a lead id of this tenant. */
  leadId: number | undefined;
}

type LeadError = keyof typeof leadErrors;

interface Found {
  agent: AgentRecord;
  leads: RequestedLead[];
  /** The leads of the request that the caller may read. */
  readable: Set<number>;
  /** The maximum of executions a day of all agents, which the addon AI Agents sets; undefined without one. */
  runsPerDay: number | undefined;
  /** The tenant's time zone; undefined when no daily maximum applies. */
  timezone: string | undefined;
}

export const runAgentInBulk = (tools: Tools): Handler<typeof executions.runAgentInBulk, Found> => ({
  async check({ params, body, caller, tx }) {
    checkSchedule(body.scheduledFor);
    const row = await tx.agent.findFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    const agent = checkActive(asAgent(row));
    const { tenantId } = caller;
    const leads = body.leadIds.map((publicId) => ({ publicId, leadId: tools.ids.decode('lead', tenantId, publicId) }));
    const runsPerDay = (await tools.addonSettings(caller, 'ai_agents'))?.runsPerDay;
    const isCapped = agent.limits.dailyCap !== null || runsPerDay !== undefined;
    const timezone = isCapped ? await timezoneOf(tools, caller) : undefined;
    return { agent, leads, readable: await findReadable(tools, caller, leads), runsPerDay, timezone };
  },

  async run({ body, caller, tx, emit, schedule, found }) {
    const { agent, leads, readable, runsPerDay, timezone } = found;
    const dueAt = body.scheduledFor ?? new Date();
    const capacity =
      timezone === undefined ? undefined : await lockCapacity(tx, { agent, readable, timezone, dueAt, runsPerDay });
    const checked = checkLeads(leads, readable, capacity);
    const { runId, executions } = await startBulkRun(tx, {
      agent,
      total: leads.length,
      leadIds: checked.flatMap(({ error, leadId }) => (error || leadId === undefined ? [] : [leadId])),
      scheduledFor: body.scheduledFor ?? null,
      createdBy: actingUserId(caller) ?? null,
      input: body.input ?? null,
    });

    const { tenantId = 0, environment } = caller;
    const payloads = [...executions.values()].map((executionId) => ({ executionId, tenantId, environment }));
    if (payloads.length) await schedule(executionJobs[workOf(agent.kind)], payloads, body.scheduledFor);

    const counts = { total: leads.length, accepted: executions.size, rejected: leads.length - executions.size };
    const ids = { bulkRunId: runId, agentId: agent.id };
    emit(bulkRunStarted, { data: ids, record: { id: runId, agentId: agent.id, ...counts } });
    return { ...ids, ...counts, results: checked.map((lead) => resultOf(lead, executions)) };
  },
});

function checkSchedule(at: Date | undefined): void {
  if (!at) return;
  const inMs = at.getTime() - Date.now();
  if (inMs < -clockToleranceMs) throw failField('scheduledFor', 'Must not be in the past');
  if (inMs > scheduleMaxMs) throw failField('scheduledFor', 'Must be at most one year ahead');
}

/** Reads from crm, in one request, which of the leads exist and may be read by the caller. */
async function findReadable({ crm }: Tools, caller: Caller, requested: RequestedLead[]): Promise<Set<number>> {
  const ids = [...new Set(requested.flatMap(({ leadId }) => leadId ?? []))];
  if (!ids.length) return new Set();
  const as = asService(caller, reachOf(caller, 'leads:read'));
  const leads = await crm.findLeads({ body: { ids }, as }).catch(() => {
    throw fail('unavailable');
  });
  return new Set(leads.map(({ id }) => id));
}

type CheckedLead = RequestedLead & { error?: LeadError };

/** Adds an error to each lead for which no execution can start, as far as this is known before the insert. */
function checkLeads(
  leads: RequestedLead[],
  readable: ReadonlySet<number>,
  capacity: RemainingCapacity | undefined,
): CheckedLead[] {
  let remaining = capacity?.executions ?? Number.POSITIVE_INFINITY;
  const seen = new Set<number>();
  return leads.map((lead) => {
    const { leadId } = lead;
    if (leadId === undefined || !readable.has(leadId)) return { ...lead, error: 'lead_not_found' };
    if (seen.has(leadId)) return { ...lead, error: 'duplicate_in_request' };
    seen.add(leadId);
    if (capacity?.busyLeads.has(leadId)) return { ...lead, error: 'already_running' };
    if (remaining < 1) return { ...lead, error: 'limit_reached' };
    remaining--;
    return lead;
  });
}

/** A lead without error and execution already has a live execution: the unique index skipped it. */
function resultOf({ publicId, leadId, error }: CheckedLead, executions: ReadonlyMap<number, number>) {
  const executionId = error || leadId === undefined ? undefined : executions.get(leadId);
  if (executionId !== undefined) return { leadId: publicId, status: 'success' as const, executionId };
  const code = error ?? 'already_running';
  return { leadId: publicId, status: 'error' as const, error: { code, message: leadErrors[code] } };
}
