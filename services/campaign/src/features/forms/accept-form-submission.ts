import { formSubmissionAccepted, type formSubmissions } from '@tandem/campaign-contract';
import { fail, transitionError } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asSubmission } from './form-submission.ts';
import { processSubmissionJob } from './process-submission.job.ts';

export const acceptFormSubmission: Handler<typeof formSubmissions.acceptFormSubmission> = async ({
  params: { id: formId, submissionId },
  tx,
  emit,
  schedule,
}) => {
  const row = await tx.formSubmission.lockFirst({ where: { id: submissionId, formId } });
  if (!row) throw fail('not_found');
  const { status, allowedTransitions } = asSubmission(row);
  if (!allowedTransitions.includes('accepted'))
    throw fail('transition_refused', [transitionError(status, allowedTransitions)]);
  const data = { status: 'accepted', reason: null, discardableSince: null };
  const [written] = await tx.formSubmission.updateManyAndReturn({ where: { id: row.id }, data });
  if (!written) throw fail('not_found');
  await schedule(processSubmissionJob, [{ submissionId }]);
  const submission = asSubmission(written);
  emit(formSubmissionAccepted, {
    data: { formId, submissionId },
    record: submission,
    changes: { status: { from: status, to: 'accepted' } },
  });
  return submission;
};
