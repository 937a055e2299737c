import type { formSubmissions } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { createConfirmationTokens, readConfirmation } from './confirmation.ts';
import { processSubmissionJob } from './process-submission.job.ts';

export const confirmFormSubmission = ({
  seal,
}: Pick<Tools, 'seal'>): Handler<typeof formSubmissions.confirmFormSubmission> => {
  const tokens = createConfirmationTokens(seal);
  return async ({ params, inTenant }) => {
    const { submissionId, ...scope } = readConfirmation(tokens, params.token);
    return inTenant(scope, async ({ tx, schedule }) => {
      const row = await tx.formSubmission.lockFirst({ where: { id: submissionId } });
      const form = row && (await tx.form.findFirst({ where: { id: row.formId } }));
      if (!form) throw fail('not_found');
      if (row.status === 'pending') {
        const data = { status: 'accepted', confirmedAt: new Date(), discardableSince: null };
        await tx.formSubmission.updateMany({ where: { id: row.id }, data });
        await schedule(processSubmissionJob, [{ submissionId }]);
      }
      return { redirectUrl: form.redirectUrl };
    });
  };
};
