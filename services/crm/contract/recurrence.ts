import { id, operations, text, timestamp, timeZone } from '@tandem/contract';
import { z } from 'zod';
import { Task, taskUpdated } from './task.ts';

/** The highest number of occurrences that `count` can name. */
const countMax = 1_000;

const recurrenceFields = {
  rrule: text(200).meta({
    description:
      'An RFC 5545 rule with FREQ DAILY, WEEKLY, MONTHLY or YEARLY, and optionally INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS and WKST. The due time of the task is the first occurrence; the rule sets the days, and each occurrence has the same local time.',
    examples: ['FREQ=WEEKLY;BYDAY=MO,TH'],
  }),
  timezone: timeZone().meta({
    description: 'The time zone (IANA) in which the occurrences have the same time of day, also when the clocks change',
    examples: ['Europe/Berlin'],
  }),
};

/** The recurrence of a task in a request. */
export const RecurrenceInput = z.object({
  ...recurrenceFields,
  until: timestamp()
    .nullish()
    .meta({
      description: 'No occurrence is later than this time. Send `until` or `count`, not both',
      examples: [null],
    }),
  count: z
    .int('Must be a whole number')
    .min(1, 'Must be at least 1')
    .max(countMax, `Must be at most ${countMax}`)
    .nullish()
    .meta({ description: 'The number of occurrences, with the first one', examples: [12] }),
});

export const Recurrence = z.object({
  ...recurrenceFields,
  until: timestamp()
    .nullable()
    .meta({ description: 'The end of the series, also that of UNTIL in the rule', examples: [null] }),
  count: z
    .int()
    .nullable()
    .meta({ description: 'The number of occurrences of the series, also that of COUNT in the rule', examples: [12] }),
  occurrence: z.int().meta({ description: 'The number of this task in the series, from 1', examples: [1] }),
});

/** The field that links a task to the next one of its series. */
export const nextTaskId = () =>
  id('task')
    .nullable()
    .meta({
      description:
        'The next task of the series, which is created when this one is completed or cancelled; null if there is none, or none that the caller can read',
      examples: [null],
    });

const withId = z.object({ id: id('task') });

export const recurrences = operations({
  setTaskRecurrence: {
    method: 'PUT',
    path: '/v1/tasks/:id/recurrence',
    permission: 'tasks:write',
    narrows: true,
    summary: 'Make a task recur',
    description:
      'The next task of the series is created when this one is completed or cancelled, with the same fields, subtasks and relative reminders. A recurrence that the task already has is replaced.',
    params: withId,
    body: RecurrenceInput,
    reply: Task.extend({ recurrence: Recurrence.describe('The series that the task belongs to') }),
    message: 'Recurrence set',
    emits: [taskUpdated],
    errors: { task_closed: [409, 'The task is completed or cancelled; reopen it first'] },
  },
  deleteTaskRecurrence: {
    method: 'DELETE',
    path: '/v1/tasks/:id/recurrence',
    ifMatch: true,
    permission: 'tasks:write',
    narrows: true,
    summary: 'End the recurrence of a task',
    description: 'The task stays; no further task of its series is created.',
    params: withId,
    reply: z.object({ id: id('task'), deleted: z.literal(true).describe('Always true') }),
    message: 'Recurrence ended',
    emits: [taskUpdated],
  },
});
