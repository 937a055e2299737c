import { event, id, name, stateTable, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { MessageChannel } from './suppressions.ts';
import { TemplateBlocks } from './template-blocks.ts';

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

/** The fields of the content of a template. */
export const templateFields = { ...content, variables };

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
