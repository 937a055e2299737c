import type { formSubmissions } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asSubmission } from './form-submission.ts';

export const listFormSubmissions: Handler<typeof formSubmissions.listFormSubmissions> = async ({
  params,
  query: { status, leadId },
  tx,
  list,
}) => {
  if (!(await tx.form.count({ where: { id: params.id } }))) throw fail('not_found');
  const page = await list({
    model: tx.formSubmission,
    where: { formId: params.id, ...(status && { status }), ...(leadId !== undefined && { leadId }) },
  });
  return { ...page, items: page.items.map(asSubmission) };
};
