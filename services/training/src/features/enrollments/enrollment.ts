import { unionNumber } from '@tandem/contract';
import type { Emit, Schedule } from '@tandem/events';
import { fail } from '@tandem/service';
import { Enrollment, enrollmentStates, LearnerType } from '@tandem/training-contract';
import type { z } from 'zod';
import type { Enrollment as EnrollmentRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type EnrollmentRecord = z.output<typeof Enrollment>;

/** The transaction of a change of enrolments. */
export interface Inside {
  tx: Tx;
  emit: Emit;
  schedule: Schedule;
}

/** Statuses of an enrolment that has not ended. */
export const liveStatuses = ['enrolled', 'in_progress'];

const columns = Enrollment.pick({ status: true, source: true, withdrawReason: true });

/** Converts a row to the contract's `Enrollment`. */
export function asEnrollment(row: EnrollmentRow): EnrollmentRecord {
  const checked = columns.parse(row);
  return {
    ...row,
    ...checked,
    ...learnerOf(row),
    allowedTransitions: enrollmentStates.next(checked.status),
    overdue: isLive(row) && row.dueAt !== null && row.dueAt.getTime() < Date.now(),
  };
}

/** The learner of an enrolment, as the contract names it. */
export function learnerOf(row: Pick<EnrollmentRow, 'learnerType' | 'learnerId'>) {
  const learnerType = LearnerType.parse(row.learnerType);
  return { learnerType, learnerId: unionNumber('learner', learnerType, row.learnerId) };
}

/** Whether an enrolment has not ended. */
export function isLive({ status }: { status: string }): boolean {
  return liveStatuses.includes(status);
}

/** The data of events about an enrolment. */
export function dataOf({ id, courseId, learnerId }: EnrollmentRecord) {
  return { enrollmentId: id, courseId, learnerId };
}

/** Reads and locks an enrolment, so that no other request changes it before this one is written. */
export async function lockEnrollment(tx: Tx, id: number): Promise<EnrollmentRow> {
  const row = await tx.enrollment.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return row;
}

/** Writes a change of a locked enrolment, with a new version. */
export async function writeEnrollment(
  tx: Tx,
  id: number,
  change: Partial<Pick<EnrollmentRow, 'status' | 'dueAt' | 'expiresAt' | 'withdrawReason'>>,
): Promise<EnrollmentRecord> {
  const [row] = await tx.enrollment.updateManyAndReturn({
    where: { id },
    data: { ...change, version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  return asEnrollment(row);
}
