import type { formSubmissions, forms } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { acceptFormSubmission } from './accept-form-submission.ts';
import { archiveForm } from './archive-form.ts';
import { confirmFormSubmission } from './confirm-form-submission.ts';
import { createForm } from './create-form.ts';
import { deleteForm } from './delete-form.ts';
import type { FormTools } from './form.ts';
import { getForm } from './get-form.ts';
import { listFormSubmissions } from './list-form-submissions.ts';
import { listForms } from './list-forms.ts';
import { publishForm } from './publish-form.ts';
import { showFormConfirmation } from './show-form-confirmation.ts';
import { type SubmitTools, submitForm } from './submit-form.ts';
import { unpublishForm } from './unpublish-form.ts';
import { updateForm } from './update-form.ts';

export const formHandlers = (tools: FormTools & SubmitTools & Pick<Tools, 'seal'>) =>
  ({
    createForm: createForm(tools),
    listForms: listForms(tools),
    getForm: getForm(tools),
    updateForm: updateForm(tools),
    deleteForm: deleteForm(tools),
    publishForm: publishForm(tools),
    unpublishForm: unpublishForm(tools),
    archiveForm: archiveForm(tools),
    listFormSubmissions,
    acceptFormSubmission,
    submitForm: submitForm(tools),
    confirmFormSubmission: confirmFormSubmission(tools),
    showFormConfirmation: showFormConfirmation(tools),
  }) satisfies Handlers<typeof forms & typeof formSubmissions, Tx>;
