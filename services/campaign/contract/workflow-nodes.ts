import { ConditionOperator, name, text, writableCondition } from '@tandem/contract';
import { z } from 'zod';
import { awaitedEvents, Duration, durationUnits } from './workflow-settings.ts';

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

const label = name(200).optional();
const duration = Duration.shape.duration;
const durationUnit = z.enum(durationUnits);
const html = z.string().max(16_000);
const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Must be a time such as 09:30');
const variantKey = name(50);

/**
 * The settings of each node type, as they must be when a workflow is published. Fields that a type does not have are kept
 * for editors, and have no effect.
 */
export const nodeData = {
  trigger: z.looseObject({
    label,
    triggerType: name(100).optional(),
    formId: z.string().optional(),
    tag: text(50).optional(),
    status: text(100).optional(),
    fields: z.array(name(80)).max(20).optional(),
    minScore: z.number().min(0).max(100).optional(),
    dateField: z
      .string()
      .regex(/^customFields\.[^.\s]{1,64}$/, 'Must be customFields.<key> of a field with a date')
      .optional(),
    offsetDays: z.int().min(-365).max(365).optional(),
    at: timeOfDay.optional(),
    repeat: z.enum(dateRepeats).optional(),
    inactiveDays: z.int().min(1).max(365).optional(),
    segmentId: z.string().optional(),
    conditions: z.array(writableCondition).max(20).optional(),
  }),
  email: z.looseObject({
    label,
    subjectLine: text(200).optional(),
    preheader: text(200).optional(),
    html: html.optional(),
    text: html.optional(),
    templateId: z.string().optional(),
    replyTo: z.email().max(254).optional(),
  }),
  sms: z.looseObject({ label, text: text(1_000).optional(), templateId: z.string().optional() }),
  wait: z.looseObject({
    label,
    duration: duration.optional(),
    durationUnit: durationUnit.optional(),
    at: timeOfDay.optional(),
    workingHours: z.boolean().optional(),
  }),
  condition: z.looseObject({
    label,
    conditionField: name(100),
    conditionOperator: ConditionOperator.optional(),
    conditionValue: writableCondition.shape.value,
    nodeId: name(100).optional(),
  }),
  split: z.looseObject({
    label,
    variants: z
      .array(z.object({ key: variantKey, weight: z.number().positive().max(100) }))
      .min(2, 'Must have at least two variants')
      .max(5, 'Must have at most five variants'),
  }),
  wait_for_event: z.looseObject({
    label,
    event: z.enum(awaitedEvents),
    duration: duration.default(7),
    durationUnit: durationUnit.default('days'),
  }),
  update_lead: z.looseObject({
    label,
    fields: z.record(z.string(), z.unknown()).optional(),
    addTags: z.array(name(50)).max(20).optional(),
    removeTags: z.array(name(50)).max(20).optional(),
  }),
  create_task: z.looseObject({
    label,
    title: name(200),
    type: z.string().max(30).optional(),
    dueInDays: z.number().min(0).max(365).default(1),
    assignedTo: z.string().optional(),
  }),
  assign: z.looseObject({ label, userId: z.string() }),
  notify: z.looseObject({ label, userIds: z.array(z.string()).max(20).optional(), message: text(500).min(1) }),
  webhook: z.looseObject({ label, url: z.url({ protocol: /^https?$/ }).max(2000) }),
  enroll: z.looseObject({ label, workflowId: z.string() }),
  goal: z.looseObject({
    label,
    event: z.enum(awaitedEvents).optional(),
    conditions: z.array(writableCondition).max(20).optional(),
  }),
  exit: z.looseObject({ label, reason: text(200).optional() }),
} as const;

export type NodeType = keyof typeof nodeData;
export type NodeData<Type extends NodeType> = z.output<(typeof nodeData)[Type]>;
