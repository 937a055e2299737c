import { event, freeForm, id } from '@tandem/contract';
import { z } from 'zod';

export const formSubmitted = event('form.submitted', {
  group: 'forms',
  readPermission: 'campaigns:read',
  description: 'A form submission is received',
  action: 'form.submit',
  target: 'form',
  data: z.object({
    formId: id('form'),
    leadId: id('lead').nullable().describe('The lead that the submission created or matched; null if there is none'),
    fields: freeForm().describe('The submitted fields of the form'),
  }),
  record: z.object({ id: id('form') }),
  example: {
    formId: 'Xy2Cyk0Jf4kchPDk',
    leadId: 'khzasVT5ZxaVtyRs',
    fields: { email: 'ada@example.com', message: 'Please call me back' },
  },
});
