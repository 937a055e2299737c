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
    /** The lead that the submission made or belongs to; null when it named nobody. */
    leadId: id('lead').nullable(),
    fields: freeForm(),
  }),
  record: z.object({ id: id('form') }),
  example: {
    formId: 'Bv7NfL2zQk95RwHs',
    leadId: 'k3VqPz81RtLm0WcY',
    fields: { email: 'ada@example.com', message: 'Please call me back' },
  },
});
