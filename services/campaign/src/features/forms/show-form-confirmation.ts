import type { formSubmissions } from '@tandem/campaign-contract';
import { formPage, noticePage } from '@tandem/pages';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { createConfirmationTokens, readConfirmation } from './confirmation.ts';

export const showFormConfirmation = ({
  seal,
  settingsOf,
}: Pick<Tools, 'seal' | 'settingsOf'>): Handler<typeof formSubmissions.showFormConfirmation> => {
  const tokens = createConfirmationTokens(seal);
  return async ({ params: { token }, caller: { requestId }, inTenant }) => {
    const { submissionId, ...scope } = readConfirmation(tokens, token);
    const { row, form } = await inTenant(scope, async ({ tx }) => {
      const submission = await tx.formSubmission.findFirst({ where: { id: submissionId } });
      const formOf = submission && (await tx.form.findFirst({ where: { id: submission.formId } }));
      if (!formOf) throw fail('not_found');
      return { row: submission, form: formOf };
    });
    // Without the name while the settings are not available, because confirming must work.
    const settings = await settingsOf({ ...scope, requestId }).catch(() => undefined);
    const company = settings?.name ? ` of ${settings.name}` : '';
    const next = form.redirectUrl === null ? undefined : { label: 'Continue', url: form.redirectUrl };
    if (row.status !== 'pending')
      return noticePage({ title: form.name, text: 'Your e-mail address is confirmed already.', next });
    return formPage({
      title: 'Confirm your e-mail address',
      text: `Confirm that you filled in the form “${form.name}”${company} with the address ${row.email}.`,
      action: `/v1/public/form-confirmations/${token}`,
      button: 'Confirm',
      next,
    });
  };
};
