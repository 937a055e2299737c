import { leadsPerRunMax, type writableTarget } from '@tandem/agents-contract';
import type { Caller } from '@tandem/caller';
import { unknownId } from '@tandem/contract';
import { asService, currentLeads, fail, failField, reachOf } from '@tandem/service';
import type { z } from 'zod';
import { Prisma } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import type { RunToStart } from '../bulk-runs/start-run.ts';
import { findReadable, readStartable } from '../executions/startable.ts';
import type { ScheduleRecord } from './schedule.ts';

// A page can lack leads, because crm examines a limited number of them for each.
const pagesMax = 20;

/** A target as a request has it. */
type Given = z.output<typeof writableTarget>;

/** Fails unless a target has either readable leads or a filter. */
export async function checkTarget(tools: Tools, caller: Caller, { leadIds, filter }: Given): Promise<void> {
  checkReach(caller);
  if (leadIds && filter) throw failField('target.filter', 'Must not be sent together with leadIds');
  if (!leadIds && !filter) throw failField('target', 'Must have leadIds or filter');
  if (!leadIds) return;
  const readable = await findReadable(tools, caller, leadIds);
  const unknown = leadIds.findIndex((leadId) => !readable.has(leadId));
  if (unknown >= 0) throw failField(`target.leadIds.${unknown}`, unknownId('lead'));
}

/** Fails for a key that reads fewer leads than its user, with whose permissions the schedule would run. */
export function checkReach(caller: Caller): void {
  if (caller.type !== 'key' || reachOf(caller, 'leads:read') === 'all') return;
  throw fail('forbidden', [
    { field: 'target', message: 'An API key requires the permission leads:read for all leads' },
  ]);
}

/** A target as the contract has it. */
export function targetOf({ leadIds, filter }: Given): ScheduleRecord['target'] {
  return {
    leadIds: leadIds ? [...new Set(leadIds)] : null,
    filter: filter?.map(({ value, ...condition }) => ({ ...condition, value: value ?? null })) ?? null,
  };
}

/** The columns of a target. */
export function columnsOfTarget(given: Given) {
  const { leadIds, filter } = targetOf(given);
  return { leadIds: leadIds ?? [], filter: filter ?? Prisma.DbNull, afterLeadId: null };
}

/** A bulk run for a schedule, and the lead after which its next one continues. */
export interface ScheduledRun extends RunToStart {
  afterLeadId: number | null;
}

/**
 * Prepares a bulk run for the leads of a schedule that the caller can read.
 * @throws ApiError as readStartable
 */
export async function readScheduledRun(
  tools: Tools,
  { caller, tx }: { caller: Caller; tx: Tx },
  row: { id: number; agentId: number; afterLeadId: number | null },
  { target, input }: Pick<ScheduleRecord, 'target' | 'input'>,
): Promise<ScheduledRun> {
  const { leadIds, afterLeadId } = target.filter
    ? await selectByFilter(tools, caller, target.filter, row.afterLeadId)
    : { leadIds: await remaining(tx, target.leadIds ?? []), afterLeadId: null };
  return {
    startable: await readStartable(tools, { caller, tx }, { agentId: row.agentId, leadIds }),
    leads: leadIds.map((leadId) => ({
      publicId: tools.ids.encode('lead', caller.tenantId as number, leadId),
      leadId,
    })),
    input,
    scheduledFor: undefined,
    scheduleId: row.id,
    afterLeadId,
  };
}

/** The leads that remained of merges, none twice. */
async function remaining(tx: Tx, leadIds: readonly number[]): Promise<number[]> {
  const current = await currentLeads(tx, leadIds);
  return [...new Set(leadIds.map((leadId) => current.get(leadId) ?? leadId))];
}

/** The next leads that meet the conditions, up to the maximum of a run. At the end, a run that has found none begins again. */
async function selectByFilter(
  { crm }: Pick<Tools, 'crm'>,
  caller: Caller,
  conditions: NonNullable<ScheduleRecord['target']['filter']>,
  start: number | null,
): Promise<{ leadIds: number[]; afterLeadId: number | null }> {
  const as = asService(caller, reachOf(caller, 'leads:read'));
  const leadIds: number[] = [];
  let after = start;
  let isFromBeginning = start === null;
  for (let page = 0; page < pagesMax && leadIds.length < leadsPerRunMax; page++) {
    const limit = leadsPerRunMax - leadIds.length;
    const { leads, next } = await crm.selectLeads({ body: { conditions, after, limit }, as }).catch(() => {
      throw fail('unavailable');
    });
    leadIds.push(...leads.map(({ id }) => id));
    after = next;
    if (next !== null) continue;
    if (leadIds.length || isFromBeginning) break;
    isFromBeginning = true;
  }
  return { leadIds, afterLeadId: after };
}
