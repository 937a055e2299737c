import { text } from '@tandem/contract';
import { z } from 'zod';

export const actionTypes = ['call', 'create_task', 'change_status', 'convert', 'add_tags'] as const;
export const riskLevels = ['low', 'medium', 'high'] as const;

const titleMax = 200;
const tagsMax = 10;

/** The type of a task that an action creates. */
export const ActionTaskType = z
  .enum(['call', 'email', 'meeting', 'note', 'other'])
  .meta({ description: 'The type of the task', examples: ['call'] });

/** The status that an action gives to a lead. */
export const ActionLeadStatus = z
  .enum(['contacted', 'qualified', 'unqualified'])
  .meta({ description: 'The new status of the lead', examples: ['qualified'] });

const typeOf = <Type extends (typeof actionTypes)[number]>(type: Type) =>
  z.literal(type).describe('The type of the action');

/** How long a script can be that is said in a call. */
export const scriptLimit =
  'A script of a call has at most 3,968 characters, where & counts as 5, < and > as 4, and a quotation mark as 6.';

/** A call of a caller. */
export const CallAction = z.object({
  type: typeOf('call'),
  goal: text(500)
    .nullable()
    .meta({ description: 'The goal of the call', examples: ['Agree on a first meeting'] }),
  script: text(10_000)
    .nullable()
    .meta({ description: `The script of the call. ${scriptLimit}`, examples: ['Ask what they use today.'] }),
});

export const CreateTaskAction = z.object({
  type: typeOf('create_task'),
  title: text(titleMax)
    .trim()
    .min(1, 'Must not be empty')
    .meta({ description: 'The title of the task', examples: ['Call Ada back'] }),
  taskType: ActionTaskType,
  dueInDays: z
    .int({ error: 'Must be a whole number from 0 to 365' })
    .min(0, 'Must be at least 0')
    .max(365, 'Must be at most 365')
    .meta({ description: 'In how many days the task is due', examples: [1] }),
});

export const ChangeStatusAction = z.object({ type: typeOf('change_status'), status: ActionLeadStatus });

export const ConvertAction = z.object({
  type: typeOf('convert'),
  name: text(titleMax)
    .trim()
    .min(1, 'Must not be empty')
    .nullable()
    .meta({ description: 'The name of the opportunity; null for the name of the lead', examples: [null] }),
});

export const AddTagsAction = z.object({
  type: typeOf('add_tags'),
  tags: z
    .array(text(50).trim().min(1, 'Must not be empty'))
    .min(1, 'Must contain at least 1 tag')
    .max(tagsMax, `Must contain at most ${tagsMax} tags`)
    .meta({ description: 'The tags to add to the lead', examples: [['nurture']] }),
});

/** An action of an agent for its lead. `call` belongs to a caller, the others are performed by crm. */
export const AgentAction = z
  .discriminatedUnion('type', [CallAction, CreateTaskAction, ChangeStatusAction, ConvertAction, AddTagsAction], {
    error: `Must have a type of ${actionTypes.join(', ')}`,
  })
  .meta({
    description: 'An action of an agent for a lead',
    examples: [{ type: 'create_task', title: 'Call Ada back', taskType: 'call', dueInDays: 1 }],
  });

export type AgentActionValue = z.output<typeof AgentAction>;

export const ActionRisk = z
  .enum(riskLevels)
  .describe(
    'The risk of the action: `low` for tasks and tags, `medium` for a status and for calls with consent, `high` for conversions and for calls without recorded consent',
  );

/** The outcome of an action. */
export const EffectStatus = z
  .enum(['pending', 'succeeded', 'failed'])
  .describe('The outcome of the action: `pending` until it is performed');

export const EffectError = z
  .object({
    code: z.string().meta({ description: 'A machine-readable error code', examples: ['lead_converted'] }),
    message: z
      .string()
      .meta({ description: 'A human-readable error message', examples: ['The lead is already converted'] }),
  })
  .describe('Why the action could not be performed');
