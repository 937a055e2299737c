import {
  event,
  freeForm,
  id,
  listQuery,
  name,
  operations,
  page,
  stateTable,
  text,
  timestamp,
  wholeNumber,
} from '@tandem/contract';
import { z } from 'zod';
import { MessageChannel } from './suppressions.ts';
import { TemplateBlocks } from './template-blocks.ts';
import { testSend } from './test-send.ts';

export const templateStatuses = ['draft', 'active', 'archived'] as const;
/** Maximum length of the HTML and of the text of a template. */
export const templateContentMax = 200_000;

export const TemplateStatus = z.enum(templateStatuses).describe('The status of the template');

export const templateStates = stateTable<(typeof templateStatuses)[number]>('Template', {
  created: { draft: 'createTemplate' },
  changes: { draft: { active: 'activateTemplate' }, active: { archived: 'archiveTemplate' }, archived: {} },
});

/** A placeholder of a template, and what happens when there is no value for it. */
export const TemplateVariable = z.object({
  key: text(200)
    .regex(/^[a-zA-Z_][a-zA-Z0-9_]*(\.[a-zA-Z_][a-zA-Z0-9_]*){0,4}$/, {
      error: 'Must be names separated by dots, such as lead.firstName',
    })
    .meta({ description: 'The placeholder', examples: ['lead.firstName'] }),
  fallback: text(1000)
    .nullable()
    .meta({ description: 'The value to use if there is none', examples: ['there'] })
    .default(null),
  required: z
    .boolean()
    .describe('Whether the message is not sent to a lead without a value and without a fallback')
    .default(false),
});

const content = {
  subject: text(500).meta({ description: 'The subject of e-mails', examples: ['Hello {{ lead.firstName }}'] }),
  preheader: text(500).meta({
    description: 'The text that mail programs show after the subject',
    examples: ['Our offer for you'],
  }),
  html: text(templateContentMax).meta({
    description: 'The body of e-mails as HTML. Values of placeholders are escaped.',
    examples: ['<p>Hello {{ lead.firstName }}</p>'],
  }),
  text: text(templateContentMax).meta({
    description: 'The text of an SMS, or the plain text of an e-mail, by default the text of the HTML',
    examples: ['Hello {{ lead.firstName }}'],
  }),
};
const variables = z
  .array(TemplateVariable)
  .max(100, { error: 'Must have at most 100 variables' })
  .meta({ examples: [[{ key: 'lead.firstName', fallback: 'there', required: false }]] });

export const TemplateSummary = z.object({
  id: id('template'),
  name: name(200).meta({ examples: ['Welcome'] }),
  channel: MessageChannel,
  status: TemplateStatus.meta({ examples: ['draft'] }),
  allowedTransitions: z
    .array(TemplateStatus)
    .meta({ description: 'The statuses that this template can currently change to', examples: [['active']] }),
  subject: content.subject.nullable(),
  contentVersion: z.int().meta({ description: 'The number of the latest version of the content', examples: [1] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** A template with its content, which lists omit. */
export const Template = TemplateSummary.extend({
  preheader: content.preheader.nullable(),
  blocks: TemplateBlocks.nullable(),
  html: content.html.nullable().describe('The body of e-mails as HTML; made from the blocks if the template has some'),
  text: content.text.nullable(),
  variables: variables.describe('The placeholders with a fallback, and those that are required'),
});

export const TemplateVersion = z.object({
  number: z.int().meta({ description: 'The number of the version, from 1', examples: [1] }),
  name: TemplateSummary.shape.name,
  subject: content.subject.nullable(),
  createdBy: id('user').nullable().describe('The user who wrote the version'),
  createdAt: timestamp(),
});

const aboutTemplate = {
  target: 'template',
  data: TemplateSummary.pick({ name: true, channel: true, status: true }).extend({ templateId: id('template') }),
  record: TemplateSummary,
} as const;
export const templateCreated = event('template.created', {
  ...aboutTemplate,
  description: 'A template is created',
  action: 'template.create',
});
export const templateUpdated = event('template.updated', {
  ...aboutTemplate,
  description: 'A template is updated, activated or archived',
  action: 'template.update',
});
export const templateDeleted = event('template.deleted', {
  ...aboutTemplate,
  description: 'A template is deleted',
  action: 'template.delete',
});

const withId = z.object({ id: id('template') });
// Each character can be a JSON escape sequence.
const bodyMax = 2_500_000;
const writable = {
  subject: content.subject.nullish(),
  preheader: content.preheader.nullish(),
  html: content.html.nullish(),
  blocks: TemplateBlocks.nullish(),
  text: content.text.nullish(),
  variables: variables.optional(),
};
const sample = freeForm().meta({
  description: 'Values of placeholders; they take precedence over those of the lead',
  examples: [{ lead: { firstName: 'Ada' } }],
});
const invalidTransition = [409, 'The template cannot change to this status'] as const;
const archived = { template_archived: [409, 'The template is archived; duplicate it to change its content'] } as const;
const placeholders =
  'Placeholders have the Liquid syntax: `{{ lead.firstName }}`, `lead.lastName`, `lead.email`, `lead.phone`, `lead.customFields.<key>`, `tenant.name`, `unsubscribeUrl`, `preferencesUrl`, with filters such as `default` and tags such as `if` and `for`. Errors name line and column.';

export const templates = operations({
  createTemplate: {
    method: 'POST',
    path: '/v1/campaigns/templates',
    permission: 'campaigns:write',
    summary: 'Create a template',
    description: `The template starts as a draft. An e-mail needs a \`subject\`, and has either \`html\` or \`blocks\`, from which the HTML is made. ${placeholders}`,
    body: z.object({ name: TemplateSummary.shape.name, channel: MessageChannel, ...writable }),
    bodyMax,
    reply: Template,
    status: 201,
    message: 'Template created',
    emits: [templateCreated],
  },
  listTemplates: {
    method: 'GET',
    path: '/v1/campaigns/templates',
    permission: 'campaigns:read',
    narrows: true,
    summary: 'List templates',
    description: 'Returns the templates without their content. `search` covers the name and the subject.',
    query: listQuery(['createdAt', 'updatedAt', 'name']).extend({
      status: TemplateStatus.optional(),
      channel: MessageChannel.optional(),
    }),
    reply: page(TemplateSummary),
    message: 'Templates retrieved',
  },
  getTemplate: {
    method: 'GET',
    path: '/v1/campaigns/templates/:id',
    permission: 'campaigns:read',
    narrows: true,
    summary: 'Retrieve a template',
    params: withId,
    reply: Template,
    message: 'Template retrieved',
  },
  updateTemplate: {
    method: 'PATCH',
    path: '/v1/campaigns/templates/:id',
    permission: 'campaigns:write',
    summary: 'Update a template',
    description: `Each change of the content makes a version. Published workflows keep the content that they were published with. \`blocks\` replace the \`html\`, and \`html\` replaces the blocks. ${placeholders}`,
    params: withId,
    body: z.object({ name: TemplateSummary.shape.name.optional(), ...writable }),
    bodyMax,
    reply: Template,
    message: 'Template updated',
    emits: [templateUpdated],
    errors: archived,
  },
  deleteTemplate: {
    method: 'DELETE',
    path: '/v1/campaigns/templates/:id',
    permission: 'campaigns:delete',
    summary: 'Delete a template',
    params: withId,
    reply: z.object({ id: id('template'), deleted: z.literal(true).describe('Always true') }),
    message: 'Template deleted',
    emits: [templateDeleted],
    errors: { template_in_use: [409, 'A published or paused workflow uses the template'] },
  },
  activateTemplate: {
    method: 'POST',
    path: '/v1/campaigns/templates/:id/activate',
    permission: 'campaigns:write',
    summary: 'Activate a template',
    description: 'The template needs content: `text` for an SMS, `html` or `text` for an e-mail.',
    params: withId,
    reply: Template,
    message: 'Template activated',
    emits: [templateUpdated],
    errors: { invalid_transition: invalidTransition },
  },
  archiveTemplate: {
    method: 'POST',
    path: '/v1/campaigns/templates/:id/archive',
    permission: 'campaigns:write',
    summary: 'Archive a template',
    description: 'Published workflows keep sending its content; a draft that names it cannot be published.',
    params: withId,
    reply: Template,
    message: 'Template archived',
    emits: [templateUpdated],
    errors: { invalid_transition: invalidTransition },
  },
  duplicateTemplate: {
    method: 'POST',
    path: '/v1/campaigns/templates/:id/duplicate',
    permission: 'campaigns:write',
    summary: 'Duplicate a template',
    description: 'The copy is a draft with one version.',
    params: withId,
    body: z.object({ name: TemplateSummary.shape.name.optional() }),
    reply: Template,
    status: 201,
    message: 'Template duplicated',
    emits: [templateCreated],
  },
  renderTemplate: {
    method: 'POST',
    path: '/v1/campaigns/templates/:id/render',
    permission: 'campaigns:read',
    also: [{ permission: 'leads:read', for: 'leadId' }],
    summary: 'Render a template',
    description:
      'Returns the message for a lead or for sample data. `missing` names required placeholders without a value: the message would not be sent.',
    params: withId,
    body: z.object({
      leadId: id('lead').optional(),
      sample: sample.optional(),
    }),
    reply: z.object({
      subject: z
        .string()
        .nullable()
        .meta({ description: 'The rendered subject', examples: ['Hello Ada'] }),
      html: z
        .string()
        .nullable()
        .meta({ description: 'The rendered HTML', examples: ['<p>Hello Ada</p>'] }),
      text: z
        .string()
        .nullable()
        .meta({ description: 'The rendered text', examples: ['Hello Ada'] }),
      missing: z.array(z.string()).meta({ description: 'Required placeholders without a value', examples: [[]] }),
    }),
    message: 'Template rendered',
    emits: [],
  },
  testSendTemplate: {
    method: 'POST',
    path: '/v1/campaigns/templates/:id/test-send',
    permission: 'campaigns:write',
    also: [{ permission: 'leads:read', for: 'leadId' }],
    summary: 'Send a test of a template',
    description:
      'Sends the e-mail as POST /v1/campaigns/templates/:id/render returns it, to up to 10 addresses. Test messages make no statistics. In the sandbox nothing is sent.',
    params: withId,
    body: testSend.body.extend({ sample: sample.optional() }),
    reply: testSend.reply,
    status: 202,
    message: 'Test messages queued',
    emits: [],
    errors: {
      ...testSend.errors,
      not_an_email: [409, 'Only templates for e-mails can be sent as a test'],
      values_missing: [409, 'Required placeholders have no value; send them in sample'],
    },
  },
  listTemplateVersions: {
    method: 'GET',
    path: '/v1/campaigns/templates/:id/versions',
    permission: 'campaigns:read',
    narrows: true,
    summary: 'List the versions of a template',
    params: withId,
    query: listQuery(['number']).omit({ search: true, createdFrom: true, createdTo: true }),
    reply: page(TemplateVersion),
    message: 'Versions retrieved',
  },
  restoreTemplateVersion: {
    method: 'POST',
    path: '/v1/campaigns/templates/:id/versions/:number/restore',
    permission: 'campaigns:write',
    summary: 'Restore a version of a template',
    description: 'The content of the version becomes a new version.',
    params: withId.extend({
      number: wholeNumber(1, 1_000_000).meta({ description: 'The number of the version', examples: ['1'] }),
    }),
    reply: Template,
    message: 'Version restored',
    emits: [templateUpdated],
    errors: archived,
  },
});
