import type { leads } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler, Tx } from '../../handler.ts';
import { openStatuses } from '../tasks/task.ts';
import { asLead } from './lead.ts';

export const getLead: Handler<typeof leads.getLead> = async ({ params, tx }) => {
  const row = await tx.lead.findFirst({ where: { id: params.id, deletedAt: null } });
  if (!row) throw fail('not_found');
  const [duplicateCount, nextTaskAt, lastActivityAt] = await Promise.all([
    row.isPaired ? countDuplicates(tx, row.id) : 0,
    findNextTask(tx, row.id),
    findLastActivity(tx, row.id),
  ]);
  return { ...asLead(row), duplicateCount, nextTaskAt, lastActivityAt };
};

/** Includes tasks of other users: only a time is returned. */
async function findNextTask(tx: Tx, id: number): Promise<Date | null> {
  const [found] = await tx.sql<{ dueAt: Date | null }>`
    SELECT min(due_at) AS "dueAt" FROM task WHERE lead_id = ${id} AND status = ANY(${openStatuses}::text[]) AND deleted_at IS NULL`;
  return found?.dueAt ?? null;
}

/** Counts leads instead of pairs, because a pair with a deleted lead is not a duplicate. */
async function countDuplicates(tx: Tx, id: number): Promise<number> {
  const pairs = await tx.duplicatePair.findMany({
    where: { status: 'open', OR: [{ firstLeadId: id }, { secondLeadId: id }] },
    select: { firstLeadId: true, secondLeadId: true },
  });
  const otherIds = pairs.map((pair) => (pair.firstLeadId === id ? pair.secondLeadId : pair.firstLeadId));
  return otherIds.length ? tx.lead.count({ where: { id: { in: otherIds }, deletedAt: null } }) : 0;
}

/** Leaves out entries about the record itself: a score that fades does not make the lead active. */
async function findLastActivity(tx: Tx, id: number): Promise<Date | null> {
  const [found] = await tx.sql<{ occurredAt: Date }>`
    SELECT occurred_at AS "occurredAt" FROM activity
    WHERE lead_id = ${id} AND (NOT system OR type IN ('message', 'form')) ORDER BY occurred_at DESC LIMIT 1`;
  return found?.occurredAt ?? null;
}
