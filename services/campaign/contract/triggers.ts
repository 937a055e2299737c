import { email, freeForm, id, name, operations, secret, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { notPublished } from './executions.ts';
import { workflowSecretRotated } from './workflow.ts';

const EventId = text(100)
  .min(1, 'Must not be empty')
  .meta({
    description: 'Your id of the event. The same event enrolls a lead once: a repetition returns the same execution.',
    examples: ['order-10423'],
  });

const Triggered = z.object({
  executionId: id('workflow_execution').nullable().describe('The execution of the lead; null if it was not enrolled'),
  result: z
    .enum(['enrolled', 'already_in', 'reentry_blocked', 'suppressed'])
    .meta({ description: 'What happened to the lead', examples: ['enrolled'] }),
});

/** The JSON whose bytes are signed. */
export const SignedTrigger = z.object({
  leadId: z.string().max(64).optional(),
  email: email().optional(),
  payload: freeForm().optional(),
  eventId: EventId.optional(),
});

const signedBodyMax = 64 * 1024;

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
    reply: Triggered,
    status: 202,
    message: 'Workflow triggered',
    emits: [],
    errors: notPublished,
  },
  triggerSignedWorkflow: {
    method: 'POST',
    path: '/v1/public/workflows/:id/trigger',
    audience: 'public',
    summary: 'Start a workflow for a lead, with a signature',
    description:
      'For systems without an API key. The body is JSON with `leadId` or `email`, and optionally `payload` and `eventId`, as for POST /v1/workflows/:id/trigger; without `eventId` the `webhook-id` is the id of the event. The headers are those of Standard Webhooks: the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` under the secret that POST /v1/workflows/:id/rotate-secret returns. Signatures older or newer than 5 minutes are refused.',
    params: z.object({
      id: z
        .string()
        .max(40)
        .meta({ description: 'The id of the workflow', examples: ['Xy2Cyk0Jf4kchPDk'] }),
    }),
    rawBody: {
      headers: {
        'webhook-id': 'Your id of the request; a repetition has the same one',
        'webhook-timestamp': 'The time of the request in Unix seconds',
        'webhook-signature': 'The signature: `v1,` followed by the base64-encoded HMAC-SHA256',
      },
    },
    bodyMax: signedBodyMax,
    reply: Triggered,
    status: 202,
    message: 'Workflow triggered',
    emits: [],
    errors: {
      ...notPublished,
      wrong_signature: [401, 'The signature is missing, wrong or too old'],
    },
  },
  rotateWorkflowSecret: {
    method: 'POST',
    path: '/v1/workflows/:id/rotate-secret',
    permission: 'workflows:write',
    feature: 'workflows',
    narrows: true,
    // leads:read, for all records.
    checksPermissions: true,
    summary: 'Create or replace the signing secret of a workflow',
    description:
      'Returns the secret once. It signs requests to `url`, which can name any lead, so it needs `leads:read` for all records. It also signs the requests of webhook nodes. A replaced secret works for another 24 hours: until then requests of webhook nodes have two signatures.',
    params: z.object({ id: id('workflow') }),
    reply: z.object({
      workflowId: id('workflow'),
      url: z.string().meta({
        description: 'The address that starts the workflow with a signature',
        examples: ['https://api.example.com/v1/public/workflows/Xy2Cyk0Jf4kchPDk/trigger'],
      }),
      secret: secret(
        z.string().meta({
          description: 'The secret, in the form of Standard Webhooks',
          examples: ['whsec_ThisIsOnlyAnExample'],
        }),
      ),
      version: z.int().describe('The version of the workflow, for `If-Match`'),
    }),
    message: 'Secret rotated',
    emits: [workflowSecretRotated],
    errors: { workflow_archived: [409, 'The workflow is archived; duplicate it to change it'] },
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
