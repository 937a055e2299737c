import { id } from '@tandem/contract';
import { accountUpdated, leadUpdated, opportunityUpdated } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import { type JobContext, job, scheduleAgain } from '@tandem/jobs';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { asLead } from '../leads/lead.ts';
import { asOpportunity } from '../opportunities/opportunity.ts';
import { asAccount } from './account.ts';
import { survivorOf } from './survivor.ts';

// Records that are changed in one transaction; their locks last until its end.
const batchMax = 100;
// Activities have no events.
const activitiesMax = 2_000;
const retryMs = 3_600_000;

const Payload = z.object({ survivorId: id('account'), mergedIds: z.array(id('account')) });
type Payload = z.output<typeof Payload>;

const moveAccountRecordsJob = { name: 'move-account-records', payload: Payload };

/** Gives the records of merged accounts to the survivor, batch by batch, each with its version and event. */
export const moveAccountRecords = job({
  ...moveAccountRecordsJob,
  async run({ payload, finish }: JobContext<Payload, Tx>) {
    await finish(async ({ tx, emit }) => {
      const work = { tx, emit, ...payload, survivorId: await survivorOf(tx, payload.survivorId) };
      const moved = (await moveLeads(work)) + (await moveOpportunities(work)) + (await moveSubsidiaries(work));
      if (moved || (await moveActivities(work))) return new Date();
      return undefined;
    });
  },
  // Nothing else gives the records to the survivor, so the job is tried again.
  giveUp: scheduleAgain(moveAccountRecordsJob, retryMs),
});

interface Work extends Payload {
  tx: Tx;
  emit: Emit;
}

async function moveLeads({ tx, emit, survivorId, mergedIds }: Work): Promise<number> {
  const where = { accountId: { in: mergedIds }, deletedAt: null };
  const found = await tx.lead.findMany({ where, select: { id: true }, orderBy: { id: 'asc' }, take: batchMax });
  for (const { id: leadId } of found) {
    const before = await tx.lead.lockFirst({ where: { ...where, id: leadId } });
    if (!before) continue;
    const data = { accountId: survivorId, version: { increment: 1 } };
    const [row] = await tx.lead.updateManyAndReturn({ where: { id: leadId }, data });
    if (!row) continue;
    emit(leadUpdated, {
      data: { leadId, changes: { accountId: survivorId } },
      record: asLead(row),
      changes: { accountId: { from: before.accountId, to: survivorId } },
    });
  }
  return found.length;
}

async function moveOpportunities({ tx, emit, survivorId, mergedIds }: Work): Promise<number> {
  const where = { accountId: { in: mergedIds } };
  const found = await tx.opportunity.findMany({ where, select: { id: true }, orderBy: { id: 'asc' }, take: batchMax });
  for (const { id: opportunityId } of found) {
    const before = await tx.opportunity.lockFirst({ where: { ...where, id: opportunityId } });
    if (!before) continue;
    const data = { accountId: survivorId, version: { increment: 1 } };
    const [row] = await tx.opportunity.updateManyAndReturn({ where: { id: opportunityId }, data });
    if (!row) continue;
    emit(opportunityUpdated, {
      data: { opportunityId, fields: ['accountId'] },
      record: asOpportunity(row),
      changes: { accountId: { from: before.accountId, to: survivorId } },
    });
  }
  return found.length;
}

async function moveSubsidiaries({ tx, emit, survivorId, mergedIds }: Work): Promise<number> {
  const where = { parentAccountId: { in: mergedIds }, deletedAt: null, id: { not: survivorId } };
  const found = await tx.account.findMany({ where, select: { id: true }, orderBy: { id: 'asc' }, take: batchMax });
  for (const { id: accountId } of found) {
    const before = await tx.account.lockFirst({ where: { ...where, id: accountId } });
    if (!before) continue;
    const data = { parentAccountId: survivorId, version: { increment: 1 } };
    const [row] = await tx.account.updateManyAndReturn({ where: { id: accountId }, data });
    if (!row) continue;
    emit(accountUpdated, {
      data: { accountId, fields: ['parentAccountId'] },
      record: asAccount(row),
      changes: { parentAccountId: { from: before.parentAccountId, to: survivorId } },
    });
  }
  return found.length;
}

/** Those of leads and opportunities follow by the events of these. */
async function moveActivities({ tx, survivorId, mergedIds }: Work): Promise<number> {
  const moved = await tx.sql`UPDATE activity SET account_id = ${survivorId}, timeline_account_id = ${survivorId},
      version = version + 1, updated_at = now()
    WHERE id IN (SELECT id FROM activity WHERE account_id = ANY(${mergedIds}::bigint[])
      ORDER BY id LIMIT ${activitiesMax}) RETURNING id`;
  return moved.length;
}
