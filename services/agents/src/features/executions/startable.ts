import type { Caller } from '@tandem/caller';
import { asService, fail, failField, reachOf } from '@tandem/service';
import type { Lead, Tools, Tx } from '../../handler.ts';
import { timezoneOf } from '../../tenant-timezone.ts';
import { type AgentRecord, asAgent, checkActive } from '../agents/agent.ts';
import { lockCapacity, type RemainingCapacity } from './daily-cap.ts';

// Allows for clock differences between clients and the server.
const clockToleranceMs = 60_000;
const dayMs = 86_400_000;
const scheduleMaxMs = 366 * dayMs;

/** The agent, its limits and the readable leads of a request that starts executions. They are read before its transaction. */
export interface Startable {
  agent: AgentRecord;
  /** The leads of the request that the caller may read. */
  readable: Set<number>;
  /** Those of them that refuse what the agent does: calls. */
  refusing: Set<number>;
  /** The maximum of executions a day of all agents, which the addon AI Agents sets; undefined without one. */
  runsPerDay: number | undefined;
  /** The tenant's time zone; undefined when no daily maximum applies. */
  timezone: string | undefined;
}

/** Fails for a time in the past, or more than a year ahead. */
export function checkSchedule(at: Date | undefined): void {
  if (!at) return;
  const inMs = at.getTime() - Date.now();
  if (inMs < -clockToleranceMs) throw failField('scheduledFor', 'Must not be in the past');
  if (inMs > scheduleMaxMs) throw failField('scheduledFor', 'Must be at most one year ahead');
}

/**
 * Reads the agent, its limits, and which of the leads the caller may read.
 * @throws ApiError 404 for an unknown agent, 409 for a paused one or without a telephone provider, 503 while crm or identity is
 * unreachable
 */
export async function readStartable(
  tools: Tools,
  { caller, tx }: { caller: Caller; tx: Tx },
  { agentId, leadIds }: { agentId: number; leadIds: readonly number[] },
): Promise<Startable> {
  const row = await tx.agent.findFirst({ where: { id: agentId, deletedAt: null } });
  if (!row) throw fail('not_found');
  const agent = checkActive(asAgent(row));
  if (agent.kind === 'caller') checkCanCall(tools, caller);
  const runsPerDay = (await tools.addonSettings(caller, 'ai_agents'))?.runsPerDay;
  const isCapped = agent.limits.dailyCap !== null || runsPerDay !== undefined;
  const timezone = isCapped ? await timezoneOf(tools, caller) : undefined;
  const leads = await readLeads(tools, caller, leadIds);
  const refusing = leads.filter(({ consent }) => agent.kind === 'caller' && consent?.phone?.state === 'denied');
  return { agent, readable: idsOf(leads), refusing: idsOf(refusing), runsPerDay, timezone };
}

/** In live nothing is simulated: without a provider there are no calls. */
function checkCanCall({ telephony }: Pick<Tools, 'telephony'>, { environment }: Caller): void {
  if (environment !== 'sandbox' && !telephony.isEnabled) throw fail('telephony_not_configured');
}

/** How many executions may still start on the day of `dueAt`; undefined without a limit. Locks the agent. */
export function lockCapacityOf(tx: Tx, startable: Startable, dueAt: Date): Promise<RemainingCapacity> | undefined {
  const { timezone } = startable;
  return timezone === undefined ? undefined : lockCapacity(tx, { ...startable, timezone, dueAt });
}

/** Which of the leads exist and may be read by the caller. */
export async function findReadable(
  tools: Pick<Tools, 'crm'>,
  caller: Caller,
  leadIds: readonly number[],
): Promise<Set<number>> {
  return idsOf(await readLeads(tools, caller, leadIds));
}

/** Reads leads from crm in one request, without those that the caller may not read. */
async function readLeads({ crm }: Pick<Tools, 'crm'>, caller: Caller, leadIds: readonly number[]): Promise<Lead[]> {
  const ids = [...new Set(leadIds)];
  if (!ids.length) return [];
  const as = asService(caller, reachOf(caller, 'leads:read'));
  return crm.findLeads({ body: { ids }, as }).catch(() => {
    throw fail('unavailable');
  });
}

function idsOf(leads: readonly Lead[]): Set<number> {
  return new Set(leads.map(({ id }) => id));
}
