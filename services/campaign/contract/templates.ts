import { freeForm, id, listQuery, operations, page, wholeNumber } from '@tandem/contract';
import { z } from 'zod';
import { MessageChannel } from './suppressions.ts';
import {
  Template,
  TemplateStatus,
  TemplateSummary,
  TemplateVersion,
  templateCreated,
  templateDeleted,
  templateFields,
  templateUpdated,
} from './template.ts';
import { TemplateBlocks } from './template-blocks.ts';
import { testSend } from './test-send.ts';

const withId = z.object({ id: id('template') });
// Each character can be a JSON escape sequence.
const bodyMax = 2_500_000;
const writable = {
  subject: templateFields.subject.nullish(),
  preheader: templateFields.preheader.nullish(),
  html: templateFields.html.nullish(),
  blocks: TemplateBlocks.nullish(),
  text: templateFields.text.nullish(),
  variables: templateFields.variables.optional(),
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
    description: `Each change of the content makes a version; a change of the name alone does not. Published workflows keep the content that they were published with. \`blocks\` replace the \`html\`, and \`html\` replaces the blocks. ${placeholders}`,
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
      'Sends the e-mail as POST /v1/campaigns/templates/:id/render returns it, to up to 10 addresses. They come from the address of the platform. Test messages make no statistics. In the sandbox nothing is sent. Templates for SMS cannot be sent; render them.',
    params: withId,
    body: testSend.body.extend({ sample: sample.optional() }),
    reply: testSend.reply,
    status: 202,
    message: 'Test messages queued',
    emits: [],
    errors: {
      ...testSend.errors,
      not_an_email: [
        409,
        'The template is for SMS, of which no tests are sent; use POST /v1/campaigns/templates/:id/render to see the text',
      ],
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
    description: 'The content of the version becomes a new version. The name stays as it is.',
    params: withId.extend({
      number: wholeNumber(1, 1_000_000).meta({ description: 'The number of the version', examples: ['1'] }),
    }),
    reply: Template,
    message: 'Version restored',
    emits: [templateUpdated],
    errors: archived,
  },
});
