import { Enrollment } from '@tandem/training-contract';
import type { z } from 'zod';
import type { Enrollment as EnrollmentRow } from '../../generated/client.ts';

/** Statuses of an enrolment that has not ended. */
export const liveStatuses = ['enrolled', 'in_progress'];

const columns = Enrollment.pick({ status: true });

/** Converts a row to the contract's `Enrollment`. */
export function asEnrollment(row: EnrollmentRow): z.output<typeof Enrollment> {
  return { ...row, ...columns.parse(row) };
}
