import { ConditionOperator, conditionFields, name, text, writableCondition } from '@tandem/contract';
import { z } from 'zod';
import { AwaitedEvent, awaitedEvents, Duration, DurationUnit } from './workflow-settings.ts';

/** The triggers that the platform fires. Any other name is fired by event ingestion with this `eventType`. */
export const triggerTypes = [
  'manual',
  'webhook',
  'lead_created',
  'lead_updated',
  'lead_status_changed',
  'lead_assigned',
  'lead_converted',
  'tag_added',
  'score_threshold',
  'form_submission',
  'email_open',
  'link_click',
  'email_reply',
  'page_visit',
  'date',
  'inactivity',
  'segment',
] as const;

/** Triggers for which the platform looks for leads, every `triggerIntervalMinutes`. */
export const scheduledTriggerTypes = ['date', 'inactivity', 'segment'] as const;
export const triggerIntervalMinutes = 15;
/** How many leads of a filter segment a trigger follows. */
export const followedMembersMax = 50_000;
export const dateRepeats = ['once', 'yearly'] as const;

const described = (text: string, example: unknown) => ({ description: text, examples: [example] });

const label = name(200).meta(described('The name of the node in the editor', 'Welcome')).optional();
const duration = Duration.shape.duration;
const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Must be a time such as 09:30');
const conditions = (description: string) =>
  z
    .array(writableCondition)
    .max(20)
    .meta(described(description, [{ field: 'status', operator: 'equals', value: 'qualified' }]))
    .optional();
const userId = (description: string) => z.string().meta({ description });

/**
 * The settings of each node type, as they must be when a workflow is published. Fields that a type does not have are kept
 * for editors, and have no effect.
 */
export const nodeData = {
  trigger: z.looseObject({
    label,
    triggerType: name(100)
      .meta(
        described(
          `What starts the workflow: ${triggerTypes.join(', ')}, or the \`eventType\` of an event that you send. By default manual.`,
          'form_submission',
        ),
      )
      .optional(),
    formId: z.string().describe('For `form_submission`: the id of the form; by default any form').optional(),
    tag: text(50).meta(described('For `tag_added`: the tag; by default any tag', 'vip')).optional(),
    status: text(100)
      .meta(
        described(
          'For `lead_status_changed`: the new status, or the code of a lead status of your own; by default any',
          'qualified',
        ),
      )
      .optional(),
    fields: z
      .array(name(80))
      .max(20)
      .meta(
        described(
          'For `lead_updated`: the fields of the lead of which one must change, such as `phone` or `customFields.<key>`; by default any',
          ['phone', 'customFields.region'],
        ),
      )
      .optional(),
    minScore: z
      .number()
      .min(0)
      .max(100)
      .meta(described('For `score_threshold`: the score that the lead reaches, from below. By default 1.', 50))
      .optional(),
    dateField: z
      .string()
      .regex(/^customFields\.[^.\s]{1,64}$/, 'Must be customFields.<key> of a field with a date')
      .meta(described('For `date`, required: the custom field with the date', 'customFields.renewal'))
      .optional(),
    offsetDays: z
      .int()
      .min(-365)
      .max(365)
      .meta(described('For `date`: the days after the date; negative for days before it. By default 0.', -7))
      .optional(),
    at: timeOfDay
      .meta(described('For `date`: the time of the day, in the time zone of the lead. By default 09:00.', '09:00'))
      .optional(),
    repeat: z
      .enum(dateRepeats)
      .meta(described('For `date`: whether the date is a single day or an anniversary. By default once.', 'yearly'))
      .optional(),
    inactiveDays: z
      .int()
      .min(1)
      .max(365)
      .meta(described('For `inactivity`, required: the days since the last engagement of the lead', 30))
      .optional(),
    segmentId: z.string().describe('For `segment`, required: the id of the segment').optional(),
    conditions: conditions('The lead meets all of these conditions'),
  }),
  email: z.looseObject({
    label,
    subjectLine: text(200)
      .meta(described('The subject line; required unless the node has `templateId`, whose subject it replaces', 'Hi'))
      .optional(),
    preheader: text(200).meta(described('The preview text that mail clients show', 'Your offer')).optional(),
    html: z.string().max(16_000).meta(described('The content as HTML', '<p>Hello {{ lead.firstName }}</p>')).optional(),
    text: z.string().max(16_000).meta(described('The content as plain text', 'Hello {{ lead.firstName }}')).optional(),
    templateId: z.string().describe('The id of an active template for e-mails, instead of a content').optional(),
    replyTo: z.email().max(254).meta(described('The address for replies', 'sales@example.com')).optional(),
  }),
  sms: z.looseObject({
    label,
    text: text(1_000)
      .meta(described('The text; required unless the node has `templateId`', 'Hello {{ lead.firstName }}'))
      .optional(),
    templateId: z.string().describe('The id of an active template for SMS, instead of a text').optional(),
  }),
  wait: z.looseObject({
    label,
    duration: duration
      .meta(described('The length of the wait, in `durationUnit`; required unless the node has `at`', 2))
      .optional(),
    durationUnit: DurationUnit.optional(),
    at: timeOfDay
      .meta(described('The time of the day at which the wait ends, in the time zone of the workflow settings', '09:30'))
      .optional(),
    workingHours: z
      .boolean()
      .meta(described('Whether the wait ends within working hours: 09:00 to 17:00, Monday to Friday', true))
      .optional(),
  }),
  condition: z.looseObject({
    label,
    conditionField: name(100).meta(
      described(
        `What the condition checks: a field of the lead (${conditionFields.join(', ')}, or \`customFields.<key>\`), \`segment\`, or what the lead did (${awaitedEvents.join(', ')})`,
        'email_open',
      ),
    ),
    conditionOperator: ConditionOperator.optional(),
    conditionValue: writableCondition.shape.value,
    nodeId: name(100)
      .meta(described('For what the lead did: the `nodeId` of the message; by default any message', 'email-1'))
      .optional(),
  }),
  split: z.looseObject({
    label,
    variants: z
      .array(
        z.object({
          key: name(50).meta(described('The key, which is the `branch` of an outgoing edge', 'a')),
          weight: z.number().positive().max(100).meta(described('The share of the leads, in percent', 50)),
        }),
      )
      .min(2, 'Must have at least two variants')
      .max(5, 'Must have at most five variants')
      .meta(
        described('The variants, whose weights add up to 100', [
          { key: 'a', weight: 50 },
          { key: 'b', weight: 50 },
        ]),
      ),
  }),
  wait_for_event: z.looseObject({
    label,
    event: AwaitedEvent,
    duration: duration
      .meta(described('The longest wait, in `durationUnit`; after it the lead takes the branch `no`', 7))
      .default(7),
    durationUnit: DurationUnit.default('days'),
  }),
  update_lead: z.looseObject({
    label,
    fields: z
      .record(z.string(), z.unknown())
      .meta(described('The new values of fields of the lead', { status: 'qualified' }))
      .optional(),
    addTags: z
      .array(name(50))
      .max(20)
      .meta(described('Tags that the lead gets', ['vip']))
      .optional(),
    removeTags: z
      .array(name(50))
      .max(20)
      .meta(described('Tags that the lead loses', ['cold']))
      .optional(),
  }),
  create_task: z.looseObject({
    label,
    title: name(200).meta(described('The title of the task; it can have placeholders', 'Call {{ lead.firstName }}')),
    type: z.string().max(30).meta(described('The type of the task. By default other.', 'call')).optional(),
    dueInDays: z.number().min(0).max(365).meta(described('When the task is due, in days from now', 1)).default(1),
    assignedTo: userId('The id of the assignee; by default that of the lead').optional(),
  }),
  assign: z.looseObject({ label, userId: userId('The id of the new assignee of the lead') }),
  notify: z.looseObject({
    label,
    userIds: z
      .array(z.string())
      .max(20)
      .describe('The ids of the users; by default the assignee of the lead')
      .optional(),
    message: text(500).min(1).meta(described('The message; it can have placeholders', '{{ lead.firstName }} clicked')),
  }),
  webhook: z.looseObject({
    label,
    url: z
      .url({ protocol: /^https?$/ })
      .max(2000)
      .meta(described('The address that gets a signed POST request', 'https://example.com/hook')),
  }),
  enroll: z.looseObject({ label, workflowId: z.string().describe('The id of the workflow that the lead also enters') }),
  goal: z.looseObject({
    label,
    event: AwaitedEvent.optional(),
    conditions: conditions('The lead meets all of these conditions; required unless the node has `event`'),
  }),
  exit: z.looseObject({
    label,
    reason: text(200).meta(described('The reason that the execution shows', 'No interest')).optional(),
  }),
} as const;

export type NodeType = keyof typeof nodeData;
export type NodeData<Type extends NodeType> = z.output<(typeof nodeData)[Type]>;
