import { email, freeForm, id, name, operations, phone, text, timestamp, timeZone } from '@tandem/contract';
import { z } from 'zod';
import { StepOutcome } from './executions.ts';
import { NodeTypeName } from './workflow.ts';
import { AwaitedEvent, Duration } from './workflow-settings.ts';

const byId = z.object({ id: id('workflow') });
const read = { permission: 'workflows:read', narrows: true } as const;
/** How many steps a test shows. */
export const testStepsMax = 100;

const SampleLead = z.object({
  email: email().optional(),
  firstName: name(100)
    .meta({ description: 'The first name', examples: ['Ada'] })
    .optional(),
  lastName: name(100)
    .meta({ description: 'The last name', examples: ['Lovelace'] })
    .optional(),
  phone: phone()
    .meta({ description: 'The phone number', examples: ['+491701234567'] })
    .optional(),
  status: name(100)
    .meta({ description: 'The status of the lead', examples: ['new'] })
    .optional(),
  score: z
    .number()
    .min(0)
    .max(100)
    .meta({ description: 'The score of the lead', examples: [40] })
    .optional(),
  tags: z
    .array(name(50))
    .max(50)
    .meta({ description: 'The tags of the lead', examples: [['trial']] })
    .optional(),
  customFields: freeForm()
    .meta({ description: 'The values of custom fields', examples: [{ industry: 'Software' }] })
    .optional(),
  timezone: timeZone()
    .meta({ description: 'The time zone of the lead', examples: ['Europe/Berlin'] })
    .optional(),
});

/** A step that a lead would take. */
export const WorkflowTestStep = z.object({
  nodeId: name(100).meta({ description: 'The node', examples: ['email-1'] }),
  type: NodeTypeName.meta({ description: 'The type of the node', examples: ['email'] }),
  outcome: StepOutcome.meta({
    description: 'How the step would end; `waiting` if the test ends before it does',
    examples: ['done'],
  }),
  startedAt: timestamp().describe('When the lead would reach the node'),
  endedAt: timestamp().nullable().describe('When the lead would leave it'),
  branch: name(50)
    .nullable()
    .meta({ description: 'The branch that the lead would take', examples: ['yes'] }),
  skipReason: text(100)
    .nullable()
    .meta({ description: 'Why the effect would be skipped', examples: [null] }),
  effect: freeForm().meta({
    description:
      'What would happen: `channel`, `recipient`, `subject`, `text` and `missing` of a message; `fields` of an updated lead; `title`, `dueAt` and `assignedTo` of a task; `userId`, `userIds`, `message`, `url` or `workflowId` of the others',
    examples: [
      { channel: 'email', recipient: 'ada@example.com', subject: 'Welcome aboard', text: 'Ada, …', missing: [] },
    ],
  }),
});

export const WorkflowTest = z.object({
  end: z.enum(['completed', 'exited', 'failed', 'unfinished']).meta({
    description: `How the execution would end; \`unfinished\` after ${testStepsMax} steps`,
    examples: ['completed'],
  }),
  endReason: text(200)
    .nullable()
    .meta({ description: 'Why it would end', examples: ['completed'] }),
  endedAt: timestamp().describe('When it would end'),
  steps: z.array(WorkflowTestStep).describe('The path of the lead'),
});

export const workflowChecks = operations({
  validateWorkflow: {
    method: 'POST',
    path: '/v1/workflows/:id/validate',
    ...read,
    summary: 'Check whether a workflow can be published',
    description:
      'Returns what POST /v1/workflows/:id/publish would report about the draft. Changes nothing, and a draft with errors is a successful response too.',
    params: byId,
    reply: z.object({
      valid: z.boolean().meta({ description: 'Whether the draft can be published', examples: [false] }),
      errors: z
        .array(
          z.object({
            field: text(300).meta({
              description: 'The node and its field: `nodes.<nodeId>.<field>`',
              examples: ['nodes.email-1.subjectLine'],
            }),
            message: text(1000).meta({ description: 'What to correct', examples: ['Is required'] }),
          }),
        )
        .describe('What prevents the publication'),
    }),
    message: 'Workflow validated',
    emits: [],
  },
  testWorkflow: {
    method: 'POST',
    path: '/v1/workflows/:id/test',
    ...read,
    also: [{ permission: 'leads:read', for: 'leadId' }],
    summary: 'Test the draft of a workflow',
    description: `Walks the draft for one lead in virtual time and returns the path with what would happen. Nothing is sent, stored or changed. Without \`leadId\` the lead is a sample person, with the values of \`sample\`. Changes by the workflow, such as new tags, count for later conditions. At most ${testStepsMax} steps; a draft whose nodes or edges have errors is refused with 422, as publication would refuse it.`,
    params: byId,
    body: z.object({
      leadId: id('lead').optional(),
      sample: SampleLead.describe('Values of the lead; they take precedence over those of `leadId`').optional(),
      payload: freeForm().describe('The payload of the trigger').optional(),
      startAt: timestamp().describe('When the lead enters the workflow; by default now').optional(),
      events: z
        .array(
          z.object({
            event: AwaitedEvent,
            nodeId: name(100)
              .meta({
                description: 'The message node that the lead reacts to; without it the event belongs to no message',
                examples: ['email-1'],
              })
              .optional(),
            after: Duration.describe('The time after the message was sent, or after the start without `nodeId`'),
          }),
        )
        .max(20)
        .describe('What the lead does')
        .optional(),
    }),
    reply: WorkflowTest,
    message: 'Workflow tested',
    emits: [],
  },
});
