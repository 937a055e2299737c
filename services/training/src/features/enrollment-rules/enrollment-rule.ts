import { LeadCondition, unionNumber } from '@tandem/contract';
import { fail } from '@tandem/service';
import { EnrollmentRule } from '@tandem/training-contract';
import { z } from 'zod';
import type { EnrollmentRule as RuleRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type RuleRecord = z.output<typeof EnrollmentRule>;

const columns = EnrollmentRule.pick({ learnerType: true, tiers: true });
const Conditions = z.array(LeadCondition);

/** Converts a row to the contract's `EnrollmentRule`. */
export function asRule(row: RuleRow): RuleRecord {
  return { ...row, ...columns.parse(row), leadConditions: Conditions.parse(row.leadConditions) };
}

/** The number of a learner of a rule in responses. */
export function learnerNumberOf({ learnerType }: Pick<RuleRecord, 'learnerType'>, learnerId: number): number {
  return unionNumber('learner', learnerType, learnerId);
}

/** The reason why `reenroll` needs `training:manage`: users would undo their own withdrawal. */
export const reenrols = 'Enrols learners again who were withdrawn';

/** The data of events about a rule. */
export const dataOf = ({ id, courseId }: RuleRecord) => ({ ruleId: id, courseId });

/** Reads and locks a rule, so that no job applies it before this request is done. */
export async function lockRule(tx: Tx, id: number): Promise<RuleRow> {
  const row = await tx.enrollmentRule.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return row;
}

/** Writes a change of a locked rule, with a new version. */
export async function writeRule(
  tx: Tx,
  id: number,
  data: Parameters<Tx['enrollmentRule']['updateManyAndReturn']>[0]['data'],
): Promise<RuleRecord> {
  const [row] = await tx.enrollmentRule.updateManyAndReturn({
    where: { id },
    data: { ...data, version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  return asRule(row);
}
