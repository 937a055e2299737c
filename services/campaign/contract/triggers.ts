import { email, freeForm, id, name, operations, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { notPublished } from './executions.ts';

const EventId = text(100)
  .min(1, 'Must not be empty')
  .meta({
    description: 'Your id of the event. The same event enrolls a lead once: a repetition returns the same execution.',
    examples: ['order-10423'],
  });

export const triggers = operations({
  triggerWorkflow: {
    method: 'POST',
    path: '/v1/workflows/:id/trigger',
    permission: 'workflows:write',
    feature: 'workflows',
    narrows: true,
    also: ['leads:read'],
    summary: 'Start a workflow for a lead',
    description: 'For webhooks of other systems. Name the lead by its id or its e-mail address.',
    params: z.object({ id: id('workflow') }),
    body: z.object({
      leadId: id('lead').optional(),
      email: email().optional(),
      payload: freeForm().describe('Values for placeholders: `{{ payload.orderNumber }}`').optional(),
      eventId: EventId.optional(),
    }),
    reply: z.object({
      executionId: id('workflow_execution')
        .nullable()
        .describe('The execution of the lead; null if it was not enrolled'),
      result: z
        .enum(['enrolled', 'already_in', 'reentry_blocked', 'suppressed'])
        .meta({ description: 'What happened to the lead', examples: ['enrolled'] }),
    }),
    status: 202,
    message: 'Workflow triggered',
    emits: [],
    errors: notPublished,
  },
  ingestWorkflowEvent: {
    method: 'POST',
    path: '/v1/workflows/events',
    permission: 'workflows:write',
    summary: 'Ingest an event for workflows',
    description:
      'For services of the platform only; other callers get 403. Starts every published workflow whose `triggerType` is the type of the event.',
    body: z.object({
      eventType: name(100).meta({
        description: 'The `triggerType` of the workflows to start',
        examples: ['form_submission'],
      }),
      leadId: id('lead').nullish(),
      entityType: text(50)
        .nullish()
        .meta({ description: 'The type of the record that the event is about', examples: ['form'] }),
      entityId: text(64)
        .nullish()
        .meta({ description: 'The id of that record', examples: ['Xy2Cyk0Jf4kchPDk'] }),
      payload: freeForm().optional(),
      occurredAt: timestamp().describe('When it happened').optional(),
      eventId: EventId,
    }),
    reply: z.object({
      workflowIds: z.array(id('workflow')).describe('The workflows whose trigger matches the event'),
      executionIds: z.array(id('workflow_execution')).describe('The executions that the event started'),
    }),
    status: 202,
    message: 'Event accepted',
    emits: [],
    errors: { services_only: [403, 'Only services of the platform can ingest events'] },
  },
});
