import { writableCondition } from '@tandem/contract';
import { z } from 'zod';

export const durationUnits = ['minutes', 'hours', 'days', 'weeks'] as const;
export const reentryRules = ['never', 'after_exit', 'always'] as const;
/** Events that end an execution early. */
export const exitEvents = ['reply', 'click', 'bounce', 'unsubscribe', 'form_submission', 'conversion'] as const;
/** Events of a lead that a workflow can wait for, or have as its goal. */
export const awaitedEvents = ['email_open', 'link_click', 'email_reply', 'form_submission', 'page_visit'] as const;

const time = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Must be a time such as 09:30')
  .meta({ examples: ['09:30'] });

export const DurationUnit = z.enum(durationUnits).meta({ description: 'The unit of `duration`', examples: ['days'] });
export const AwaitedEvent = z.enum(awaitedEvents).meta({ description: 'What the lead does', examples: ['link_click'] });
export const ReentryRule = z.enum(reentryRules).meta({ examples: ['after_exit'] });
export const ExitEvent = z.enum(exitEvents);
export const WorkflowTimezone = z.enum(['lead', 'tenant']).meta({ examples: ['lead'] });

/** A length of time. */
export const Duration = z.object({
  duration: z
    .number()
    .min(0)
    .max(10_000)
    .meta({ description: 'The length, in `durationUnit`', examples: [2] }),
  durationUnit: DurationUnit,
});

/** The hours and days in which messages may be sent. */
export const SendWindow = z.object({
  from: time.describe('From this time of the day'),
  to: time.describe('Until this time of the day; an earlier time than `from` is one of the next day'),
  days: z
    .array(z.int().min(1).max(7))
    .min(1, 'Must name at least one day')
    .max(7)
    .meta({
      description: 'The days of the week, from 1 (Monday) to 7 (Sunday); by default all',
      examples: [[1, 2, 3, 4, 5]],
    })
    .optional(),
});

export const Goal = z
  .object({
    event: AwaitedEvent.optional(),
    conditions: z
      .array(writableCondition)
      .min(1)
      .max(20)
      .meta({
        description: 'The lead meets all of these conditions',
        examples: [[{ field: 'status', operator: 'equals', value: 'qualified' }]],
      })
      .optional(),
  })
  .refine(({ event, conditions }) => event !== undefined || conditions !== undefined, {
    error: 'Must have an event or conditions',
  });

const dailyMax = 20;

export const WorkflowSettings = z.object({
  reentry: ReentryRule.meta({
    description:
      'Whether a lead can run the workflow again: never, after its last execution has ended, or always, which also requires that it has ended because a lead is in a workflow only once at a time, but ignores `reentryDelay`. By default never.',
    examples: ['after_exit'],
  }).optional(),
  reentryDelay: Duration.describe(
    'The time between the end of an execution and the next one, for `after_exit`',
  ).optional(),
  exitOn: z
    .array(ExitEvent)
    .max(exitEvents.length)
    .meta({
      description: 'What ends the execution of a lead early. By default a reply and an unsubscription.',
      examples: [['reply', 'unsubscribe']],
    })
    .optional(),
  quietHours: z
    .object({ from: time.describe('From this time of the day'), to: time.describe('Until this time of the day') })
    .meta({ description: 'Hours in which nothing is sent', examples: [{ from: '20:00', to: '08:00' }] })
    .optional(),
  workingDays: z
    .array(z.int().min(1).max(7))
    .min(1, 'Must name at least one day')
    .max(7)
    .meta({
      description: 'The days on which messages are sent, from 1 (Monday) to 7 (Sunday); by default all',
      examples: [[1, 2, 3, 4, 5]],
    })
    .optional(),
  timezone: WorkflowTimezone.meta({
    description:
      'Whose time zone applies to quiet hours, days and times: that of the lead, or of the tenant if the lead has none; or always that of the tenant. By default that of the lead.',
    examples: ['lead'],
  }).optional(),
  maxPerLeadPerDay: z
    .int()
    .min(1)
    .max(dailyMax)
    .meta({
      description:
        'How many messages of all workflows and campaigns a lead gets on a day before this workflow waits for the next day',
      examples: [2],
    })
    .optional(),
  goal: Goal.describe('What the workflow is for. A lead that reaches it leaves the workflow.').optional(),
});
export type WorkflowSettings = z.output<typeof WorkflowSettings>;

/** The settings in effect, with the defaults. */
export const effectiveSettings = (settings: WorkflowSettings) => ({
  reentry: 'never' as const,
  exitOn: ['reply', 'unsubscribe'] as WorkflowSettings['exitOn'] & object,
  timezone: 'lead' as const,
  ...settings,
});
