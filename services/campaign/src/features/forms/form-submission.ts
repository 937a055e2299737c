import { FormSubmission, formSubmissionStates } from '@tandem/campaign-contract';
import type { z } from 'zod';
import type { FormSubmission as SubmissionRow } from '../../generated/client.ts';

const columns = FormSubmission.pick({ status: true, fields: true, utm: true });

/** Converts a row to the contract's `FormSubmission`. */
export function asSubmission(row: SubmissionRow): z.output<typeof FormSubmission> {
  const checked = columns.parse(row);
  return { ...row, ...checked, allowedTransitions: formSubmissionStates.next(checked.status) };
}
