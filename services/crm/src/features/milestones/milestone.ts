import { Milestone, milestoneStates } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { Milestone as MilestoneRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type MilestoneRecord = z.output<typeof Milestone>;

const columns = Milestone.pick({ status: true });

/** Converts a row to the contract's `Milestone`. */
export function asMilestone(row: MilestoneRow): MilestoneRecord {
  const { status } = columns.parse(row);
  return {
    ...row,
    status,
    allowedTransitions: milestoneStates.next(status),
    overdue: status === 'pending' && row.dueAt !== null && row.dueAt < new Date(),
  };
}

/** The ids in the path of a milestone. */
interface Path {
  oid: number;
  mid: number;
}

/** Locks the milestone, so that checks on it still hold when it is written. */
export async function lockMilestone(tx: Tx, { oid, mid }: Path): Promise<MilestoneRecord> {
  // A narrowed caller reads it through its opportunity, which `lockFirst` cannot.
  if (!(await tx.milestone.count({ where: { id: mid, opportunityId: oid, opportunity: { deletedAt: null } } })))
    throw fail('not_found');
  const row = await tx.milestone.lockFirst({ where: { id: mid, opportunityId: oid } });
  if (!row) throw fail('not_found');
  return asMilestone(row);
}

/** Writes changes to a locked milestone as its next version. */
export async function writeMilestone(
  tx: Tx,
  id: number,
  data: Parameters<Tx['milestone']['updateManyAndReturn']>[0]['data'],
): Promise<MilestoneRecord> {
  const [row] = await tx.milestone.updateManyAndReturn({ where: { id }, data: { ...data, version: { increment: 1 } } });
  if (!row) throw fail('not_found');
  return asMilestone(row);
}

/** The data of an event about a milestone. */
export function eventDataOf({ id: milestoneId, opportunityId }: MilestoneRecord) {
  return { milestoneId, opportunityId };
}
