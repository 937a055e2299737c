import { event, freeForm, id, listQuery, media, operations, page, stateTable, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { Form } from './forms.ts';

export const formSubmissionStatuses = ['pending', 'accepted', 'processed', 'quarantined', 'failed'] as const;

/** Limits of public submissions. */
export const submissionLimits = {
  /** Submissions of one network address within an hour; further ones are spam. */
  perHour: 30,
  /** Links in a text. */
  links: 5,
  /** A person needs at least this time to fill in a form. */
  fillMs: 2_000,
  /** Confirmation mails to one mailbox within a day; addresses that differ by a +tag have the same one. */
  confirmationsPerDay: 3,
  confirmDays: 7,
  /** How long spam, and submissions that nobody confirms, are kept. */
  keptDays: 30,
} as const;

export const formSubmissionStates = stateTable<(typeof formSubmissionStatuses)[number]>('FormSubmission', {
  created: { pending: 'submitForm', accepted: 'submitForm', quarantined: 'submitForm' },
  changes: {
    pending: {},
    accepted: {},
    processed: {},
    quarantined: { accepted: 'acceptFormSubmission' },
    failed: { accepted: 'acceptFormSubmission' },
  },
  automatic: {
    pending: { accepted: 'confirmFormSubmission' },
    accepted: { processed: 'process-submission.job', failed: 'process-submission.job' },
  },
});

export const FormSubmissionStatus = z
  .enum(formSubmissionStatuses)
  .describe(
    '`pending`: waits for the confirmation of the address; `accepted`: the lead is about to be created; `processed`: done; `quarantined`: spam; `failed`: the lead could not be created',
  );
export const quarantineReasons = [
  'honeypot',
  'too_fast',
  'too_many',
  'too_many_links',
  'too_many_confirmations',
] as const;

const utmPart = (part: string, example: string) =>
  text(200)
    .nullish()
    .meta({ description: `The parameter \`utm_${part}\``, examples: [example] });

/** Where a visitor came from. */
export const Utm = z
  .object({
    source: utmPart('source', 'newsletter'),
    medium: utmPart('medium', 'email'),
    campaign: utmPart('campaign', 'spring'),
    term: utmPart('term', 'crm'),
    content: utmPart('content', 'button'),
  })
  .describe('Where the visitor came from: the UTM parameters of the page');

const ReferralCode = text(32)
  .min(4, 'Must be at least 4 characters')
  .meta({ description: 'The code of the partner who referred the person', examples: ['ADA-2026'] });

export const FormSubmission = z.object({
  id: id('form_submission'),
  formId: id('form').describe('The form'),
  status: FormSubmissionStatus.meta({ examples: ['processed'] }),
  allowedTransitions: z.array(FormSubmissionStatus).meta({
    description: 'The statuses that this submission can currently change to',
    examples: [[]],
  }),
  reason: z
    .string()
    .nullable()
    .meta({
      description: `Why the submission is in quarantine (${quarantineReasons.join(', ')}) or failed`,
      examples: [null],
    }),
  fields: freeForm().describe('The submitted values by the key of the field'),
  utm: Utm,
  consent: z.boolean().describe('Whether the person agreed to receive e-mail'),
  consentText: z
    .string()
    .nullable()
    .meta({ description: 'The text to which the person agreed', examples: [null] }),
  referralCode: ReferralCode.nullable(),
  landingPageId: id('landing_page')
    .nullable()
    .describe('The landing page on which the form was submitted; null for a form on another page'),
  leadId: id('lead').nullable().describe('The lead that the submission created or matched'),
  confirmedAt: timestamp().nullable().describe('When the person confirmed the e-mail address'),
  processedAt: timestamp().nullable().describe('When the lead was created or matched'),
  createdAt: timestamp(),
});

export const formSubmissionAccepted = event('form_submission.accepted', {
  description: 'A submission that was taken for spam, or failed, is accepted',
  action: 'form_submission.accept',
  target: 'form_submission',
  data: z.object({ formId: id('form'), submissionId: id('form_submission') }),
  record: FormSubmission,
});

const publicId = z.object({
  id: z
    .string()
    .max(40)
    .meta({ description: 'The id of the form', examples: ['Xy2Cyk0Jf4kchPDk'] }),
});
const withToken = z.object({
  token: z
    .string()
    .max(2000)
    .meta({ description: 'The token of the link in the mail', examples: ['k1.q83vEjRWeJCrze8SNFZ4kKvN7xI'] }),
});

export const formSubmissions = operations({
  listFormSubmissions: {
    method: 'GET',
    path: '/v1/forms/:id/submissions',
    permission: 'campaigns:read',
    summary: 'List the submissions of a form',
    description: `Spam (\`quarantined\`) and submissions that nobody confirms are deleted after ${submissionLimits.keptDays} days.`,
    params: z.object({ id: id('form') }),
    query: listQuery(['createdAt'])
      .omit({ search: true })
      .extend({ status: FormSubmissionStatus.optional(), leadId: id('lead').optional() }),
    reply: page(FormSubmission),
    message: 'Submissions retrieved',
  },
  acceptFormSubmission: {
    method: 'POST',
    path: '/v1/forms/:id/submissions/:submissionId/accept',
    permission: 'campaigns:write',
    summary: 'Accept a submission',
    description:
      'Makes a lead of a submission that was taken for spam by mistake, or whose lead could not be created before. For the latter, `form.submitted` fires again, with the lead.',
    params: z.object({ id: id('form'), submissionId: id('form_submission') }),
    reply: FormSubmission,
    message: 'Submission accepted',
    emits: [formSubmissionAccepted],
    errors: { transition_refused: [409, 'Only submissions in quarantine and failed ones can be accepted'] },
  },
  submitForm: {
    method: 'POST',
    path: '/v1/public/forms/:id/submissions',
    audience: 'public',
    summary: 'Submit a form',
    description: `Stores the submission; soon afterwards a lead with the e-mail address is found or created, and \`form.submitted\` fires. An existing lead keeps its values, and gets those that it lacks. Spam gets the same response and is stored without effects: a filled \`honeypot\`, more than ${submissionLimits.links} links in a text, more than ${submissionLimits.perHour} submissions of an address within an hour, or a submission within ${submissionLimits.fillMs / 1_000} s of the page that has the \`renderToken\`. Values of keys that the form does not have are ignored. A required field that is asked \`when_unknown\` may be missing if the page with the \`renderToken\` did not show it; without a token every required field must have a value.`,
    params: publicId,
    body: z.object({
      fields: freeForm().meta({
        description: 'The values by the key of the field',
        examples: [{ email: 'ada@example.com', message: 'Please call me back' }],
      }),
      utm: Utm.optional(),
      consent: z.boolean().describe('Whether the person ticked the box with the consent text').optional(),
      referralCode: ReferralCode.nullish(),
      honeypot: text(1000)
        .nullish()
        .meta({
          description:
            'An input that people do not see and leave empty; programs that fill in every input are found by it',
          examples: [''],
        }),
      captchaToken: text(4000)
        .nullish()
        .meta({
          description: 'Ignored: no captcha is configured. Accepted, so that pages that have one need no change',
          examples: [null],
        }),
      renderToken: text(2000)
        .nullish()
        .meta({
          description:
            'The token of the page that shows the form, with the time of its display and the fields it shows',
          examples: ['k1.q83vEjRWeJCrze8SNFZ4kKvN7xI'],
        }),
    }),
    reply: z.object({
      confirmationRequired: z.boolean().describe('Whether the person must confirm the address by the link of a mail'),
      redirectUrl: Form.shape.redirectUrl,
    }),
    status: 201,
    message: 'Thank you, we have received your message',
    emits: [],
    errors: { mail_limit: [429, 'No more confirmations can be sent today; try again tomorrow'] },
  },
  confirmFormSubmission: {
    method: 'POST',
    path: '/v1/public/form-confirmations/:token',
    audience: 'public',
    summary: 'Confirm the address of a submission',
    description: 'Called by the page of the link in the confirmation mail. Repeating it changes nothing.',
    params: withToken,
    reply: z.object({ redirectUrl: Form.shape.redirectUrl }),
    message: 'Your e-mail address is confirmed',
    emits: [],
    errors: { link_expired: [404, 'The link has expired; submit the form again'] },
  },
  showFormConfirmation: {
    method: 'GET',
    path: '/forms/confirm/:token',
    audience: 'public',
    summary: 'Show the page to confirm the address of a submission',
    description: 'Returns an HTML page with a button. Opening it changes nothing.',
    params: withToken,
    reply: media('text/html'),
    message: 'The HTML page',
    errors: { link_expired: [404, 'The link has expired; submit the form again'] },
  },
});
