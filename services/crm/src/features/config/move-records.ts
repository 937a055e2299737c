import { leadStatusChanged, leadUpdated, opportunityStageChanged } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import type { Tx } from '../../handler.ts';
import { asLead, type LeadStatus, writeLead } from '../leads/lead.ts';
import { stageChanges } from '../opportunities/change-opportunity.ts';
import { asOpportunity, writeOpportunity } from '../opportunities/opportunity.ts';
import { enterStage, leaveStage, nextEntryTime } from '../opportunities/stage-history.ts';
import type { StatusRecord } from './status.ts';

interface Context {
  tx: Tx;
  emit: Emit;
  /** The user who deletes the status. */
  byUserId: number | null;
}

interface Move {
  from: StatusRecord;
  to: StatusRecord;
  max: number;
}

/** Counts the records with a status, deleted ones included, because they can be restored. */
export async function countRecords(tx: Tx, { entityType, id, code }: StatusRecord): Promise<number> {
  return entityType === 'lead'
    ? tx.lead.count({ where: { statusCode: code } })
    : tx.opportunity.count({ where: { stageId: id } });
}

/**
 * Moves records of a status to its replacement, each with its events and as its next version.
 * @returns how many were moved
 */
export async function moveRecords(context: Context, move: Move): Promise<number> {
  return move.from.entityType === 'lead' ? moveLeads(context, move) : moveDeals(context, move);
}

async function moveLeads({ tx, emit }: Context, { from, to, max }: Move): Promise<number> {
  const where = { statusCode: from.code };
  const found = await tx.lead.findMany({ where, orderBy: { id: 'asc' }, take: max, select: { id: true } });
  const status = to.category as LeadStatus;
  for (const { id: leadId } of found) {
    const row = await tx.lead.lockFirst({ where: { id: leadId, statusCode: from.code } });
    if (!row) continue;
    const lead = asLead(row);
    const isOther = lead.status !== status;
    const record = await writeLead(tx, leadId, { statusCode: to.code, status });
    // A deleted lead has no subscribers, and a restored one is read as it is then. The same holds for deals.
    if (row.deletedAt) continue;
    const codes = { from: lead.statusCode, to: to.code };
    emit(leadUpdated, {
      data: { leadId, changes: { statusCode: to.code, ...(isOther && { status }) } },
      record,
      changes: { statusCode: codes, ...(isOther && { status: { from: lead.status, to: status } }) },
    });
    const data = { leadId, from: lead.status, to: status, reason: null, fromCode: lead.statusCode, toCode: to.code };
    emit(leadStatusChanged, { data, record });
  }
  return found.length;
}

async function moveDeals({ tx, emit, byUserId }: Context, { from, to, max }: Move): Promise<number> {
  const where = { stageId: from.id };
  const found = await tx.opportunity.findMany({ where, orderBy: { id: 'asc' }, take: max, select: { id: true } });
  for (const { id: opportunityId } of found) {
    const row = await tx.opportunity.lockFirst({ where: { id: opportunityId, stageId: from.id } });
    if (!row) continue;
    const before = asOpportunity(row);
    const isOpen = before.status === 'open';
    const enteredAt = nextEntryTime(before);
    await leaveStage(tx, before, enteredAt);
    const after = await writeOpportunity(tx, opportunityId, {
      pipelineId: to.pipelineId,
      stage: to.code,
      stageId: to.id,
      // A closed deal keeps the time since which it is won or lost.
      ...(isOpen && { stageEnteredAt: enteredAt }),
      ...(isOpen && !before.probabilityOverridden && { probability: to.defaultProbability ?? 0 }),
    });
    await enterStage(tx, after, { enteredAt, byUserId, reason: `The stage ${from.name} was deleted` });
    if (row.deletedAt) continue;
    emit(opportunityStageChanged, {
      data: { opportunityId, from: from.code, to: to.code },
      record: after,
      changes: stageChanges(before, after),
    });
  }
  return found.length;
}
