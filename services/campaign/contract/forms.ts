import { event, freeForm, id, listQuery, name, operations, page, stateTable, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { AskAtMost, FormField, FormFields } from './form-fields.ts';

export const formStatuses = ['draft', 'published', 'archived'] as const;
const notifiedMax = 20;

export const FormStatus = z.enum(formStatuses).describe('Whether the form is a draft, published or archived');
const RedirectUrl = z
  .url({ protocol: /^https$/, error: 'Must be a URL that begins with https://' })
  .max(2000)
  .meta({ description: 'Where visitors go after a submission', examples: ['https://example.com/thanks'] });
const ConsentText = text(2000).meta({
  description: 'The text of the box by which visitors agree to receive e-mail. Without it the form has no such box',
  examples: ['I would like to receive news by e-mail. I can withdraw this at any time.'],
});
const DoubleOptIn = z
  .boolean()
  .describe(
    'Whether visitors get a mail and confirm their address by its link, within 7 days. Only then the lead is created and the consent recorded. The sandbox sends no mail',
  );

export const formStates = stateTable<(typeof formStatuses)[number]>('Form', {
  created: { draft: 'createForm' },
  changes: {
    draft: { published: 'publishForm', archived: 'archiveForm' },
    published: { draft: 'unpublishForm', archived: 'archiveForm' },
    archived: {},
  },
});

export const Form = z.object({
  id: id('form'),
  tenantId: id('tenant'),
  name: name(200).meta({ examples: ['Newsletter'] }),
  status: FormStatus.meta({ examples: ['draft'] }),
  allowedTransitions: z.array(FormStatus).meta({
    description: 'The statuses that this form can currently change to',
    examples: [['published', 'archived']],
  }),
  fields: z.array(FormField).describe('The fields in the order in which pages show them'),
  askAtMost: AskAtMost.nullable(),
  consentText: ConsentText.nullable(),
  doubleOptIn: DoubleOptIn,
  redirectUrl: RedirectUrl.nullable(),
  notifyUserIds: z.array(id('user')).describe('The users who are notified of each submission'),
  submitUrl: z.string().meta({
    description: 'The address to which pages send submissions',
    examples: ['https://api.example.com/v1/public/forms/Xy2Cyk0Jf4kchPDk/submissions'],
  }),
  publishedAt: timestamp().nullable().describe('When the form was last published'),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const writable = z.object({
  name: Form.shape.name,
  fields: FormFields,
  askAtMost: AskAtMost.nullish(),
  consentText: ConsentText.nullish(),
  doubleOptIn: DoubleOptIn.optional(),
  redirectUrl: RedirectUrl.nullish(),
  notifyUserIds: z
    .array(id('user'))
    .max(notifiedMax, { error: `Must name at most ${notifiedMax} users` })
    .describe('Active users who are notified of each submission')
    .optional(),
});

const formEvent = { target: 'form', record: Form } as const;
const formId = { formId: id('form') };

export const formCreated = event('form.created', {
  ...formEvent,
  description: 'A form is created',
  action: 'form.create',
  data: z.object(formId),
});
export const formUpdated = event('form.updated', {
  ...formEvent,
  description: 'A form is changed, published, unpublished or archived',
  action: 'form.update',
  data: z.object({ ...formId, fields: z.array(z.string()) }),
});
export const formDeleted = event('form.deleted', {
  ...formEvent,
  description: 'A form is deleted with its submissions',
  action: 'form.delete',
  data: z.object(formId),
});

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
    submissionId: id('form_submission').nullish().describe('The submission'),
    referralCode: z.string().nullish().describe('The referral code that was sent with the submission'),
    isConfirmed: z
      .boolean()
      .nullish()
      .describe('Whether the person confirmed the address, by the link in the mail of the form'),
  }),
  record: z.object({
    id: id('form'),
    name: z.string().nullish(),
    /** The users who are notified of it. */
    notifyUserIds: z.array(id('user')).nullish(),
    /** The lead of a submission with a referral code, and whether the submission created it. */
    lead: z.object({ email: z.string(), firstName: z.string(), lastName: z.string(), isNew: z.boolean() }).nullish(),
  }),
  example: {
    formId: 'Xy2Cyk0Jf4kchPDk',
    leadId: 'khzasVT5ZxaVtyRs',
    fields: { email: 'ada@example.com', message: 'Please call me back' },
    submissionId: 'AbqB7K1fkaZDdswB',
    referralCode: null,
    isConfirmed: false,
  },
});

const withId = z.object({ id: id('form') });
const transition = {
  method: 'POST',
  permission: 'campaigns:write',
  params: withId,
  reply: Form,
  emits: [formUpdated],
} as const;
const refused = { transition_refused: [409, 'The status of the form cannot change to this value'] } as const;
const archived = { form_archived: [409, 'An archived form cannot be changed; create a new one'] } as const;

export const forms = operations({
  createForm: {
    method: 'POST',
    path: '/v1/forms',
    permission: 'campaigns:write',
    summary: 'Create a form',
    description: 'The form starts as a draft, which accepts no submissions.',
    body: writable,
    reply: Form,
    status: 201,
    message: 'Form created',
    emits: [formCreated],
  },
  listForms: {
    method: 'GET',
    path: '/v1/forms',
    permission: 'campaigns:read',
    summary: 'List forms',
    description: '`search` covers the name.',
    query: listQuery(['createdAt', 'updatedAt', 'name']).extend({ status: FormStatus.optional() }),
    reply: page(Form),
    message: 'Forms retrieved',
  },
  getForm: {
    method: 'GET',
    path: '/v1/forms/:id',
    permission: 'campaigns:read',
    summary: 'Retrieve a form',
    params: withId,
    reply: Form,
    message: 'Form retrieved',
  },
  updateForm: {
    method: 'PATCH',
    path: '/v1/forms/:id',
    permission: 'campaigns:write',
    summary: 'Update a form',
    description:
      'Changes the given fields; arrays are replaced as a whole. Changes of a published form apply at once, and it must keep a field for the e-mail address. `status` publishes, unpublishes or archives the form by the same rules as the operations for it.',
    params: withId,
    body: writable.partial().extend({ status: FormStatus.optional() }),
    reply: Form,
    message: 'Form updated',
    emits: [formUpdated],
    errors: { ...archived, ...refused },
  },
  deleteForm: {
    method: 'DELETE',
    path: '/v1/forms/:id',
    permission: 'campaigns:delete',
    summary: 'Delete a form',
    description:
      'Deletes the form with its submissions. Leads stay. To keep the submissions, archive the form instead.',
    params: withId,
    reply: z.object({ id: id('form'), deleted: z.literal(true).describe('Always true') }),
    message: 'Form deleted',
    emits: [formDeleted],
    errors: {
      form_published: [409, 'The form is published; unpublish or archive it first'],
      form_in_use: [409, 'A landing page has this form; remove it from the page first'],
    },
  },
  publishForm: {
    ...transition,
    path: '/v1/forms/:id/publish',
    summary: 'Publish a form',
    description: 'From now on the form accepts submissions. It needs a field of type `email` that maps to `email`.',
    message: 'Form published',
    errors: refused,
  },
  unpublishForm: {
    ...transition,
    path: '/v1/forms/:id/unpublish',
    summary: 'Unpublish a form',
    description: 'The form is a draft again and accepts no submissions.',
    message: 'Form unpublished',
    errors: refused,
  },
  archiveForm: {
    ...transition,
    path: '/v1/forms/:id/archive',
    summary: 'Archive a form',
    description: 'The form accepts no submissions any more. Its submissions stay. This cannot be undone.',
    message: 'Form archived',
    errors: refused,
  },
});
