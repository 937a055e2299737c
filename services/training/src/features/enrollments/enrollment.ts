import type { Enrollment } from '@tandem/training-contract';
import type { z } from 'zod';
import type { Enrollment as EnrollmentRow } from '../../generated/client.ts';

/** Statuses of an enrolment that has not ended. */
export const live = ['enrolled', 'in_progress'];

/** A row as the contract shows it. */
export function asEnrollment(row: EnrollmentRow): z.output<typeof Enrollment> {
  return row as unknown as z.output<typeof Enrollment>;
}
