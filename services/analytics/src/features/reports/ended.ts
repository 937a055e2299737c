import { limitErrors } from '@tandem/analytics-contract';
import { createLog } from '@tandem/process';
import { ApiError } from '@tandem/service';

/** Why an attempt failed. A final failure would be the same again. */
export interface Failure {
  code: string;
  message: string;
  isFinal: boolean;
  /** The next attempt needs another export. */
  isOfExport?: true;
}

/** How an attempt ended: numbers, or the records of an export without a result. */
export type Ended = Failure | { result: Record<string, unknown> | null; rowCount: number };

export const unexpected: Failure = {
  code: 'report_failed',
  message: 'The report failed repeatedly; run it again, or choose a shorter period',
  isFinal: false,
};

const log = createLog('analytics');

/** The failure for an error of the evaluation. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof ApiError)) {
    log.error('the evaluation of a report failed', { error });
    return unexpected;
  }
  const { code, errors } = error;
  if (code === 'too_many_events') return { code, message: limitErrors.too_many_events[1], isFinal: true };
  if (code === 'busy') return { code, message: limitErrors.busy[1], isFinal: false };
  const message = errors.map(({ field, message: text }) => `${field}: ${text}`).join('; ');
  const isAboutCohort = errors.some(({ field }) => field === 'cohortId');
  return {
    code: isAboutCohort ? 'cohort_unavailable' : code,
    message: message || unexpected.message,
    isFinal: code === 'validation_failed',
  };
}
