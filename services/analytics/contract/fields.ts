import { id, timestamp } from '@tandem/contract';
import { z } from 'zod';

// crm's contract defines both; a test compares them.
export const LeadStatusCode = z.enum(['new', 'contacted', 'qualified', 'unqualified']);
export const LeadSourceCode = z.enum(['web', 'referral', 'api', 'import', 'manual']);

const dayForm = /^\d{4}-\d{2}-\d{2}$/;
const dayError = 'Must be a date such as 2026-03-02, or an ISO 8601 time such as 2026-03-02T10:00:00Z';

/** A day in the time zone of the request: as a date, or as a time on that day. The text stays as it was sent. */
export const Day = z
  .string({ error: dayError })
  .refine((text) => isDay(text) || z.iso.datetime({ offset: true }).safeParse(text).success, { error: dayError })
  .refine((text) => !/^\d{4}/.test(text) || Number(text.slice(0, 4)) >= 2000, {
    error: 'Must not be before the year 2000',
  })
  .meta({ examples: ['2026-03-02'] });

/** Whether a text is a date that exists. */
export function isDay(text: string): boolean {
  return dayForm.test(text) && z.iso.date().safeParse(text).success;
}

/** Whole days in a time zone. */
export const PeriodOfNumbers = z.object({
  from: timestamp().describe('The beginning of the period'),
  to: timestamp().describe('The end of the period, which is the beginning of the next day'),
  timezone: z.string().meta({ description: 'The time zone of the days', examples: ['Europe/Berlin'] }),
});

/** The filters of lists that numbers refer to. */
const ListFilters = z
  .object({
    status: z.string().describe('The status of the records').optional(),
    source: z.string().describe('The source of the leads').optional(),
    type: z.string().describe('The type of the events').optional(),
    workflowExecutionId: z.string().describe('The workflow run of the events').optional(),
    open: z.literal('true').describe('Only tasks that are pending or in progress').optional(),
    overdue: z.literal('true').describe('Only overdue tasks').optional(),
    converted: z.literal('true').describe('Only converted leads').optional(),
    cancelled: z.literal('false').describe('No cancelled commissions').optional(),
    includeAutomated: z.literal('true').describe('Also events that software caused').optional(),
    assignedTo: id('user').describe('The assignee of the records').optional(),
    ownerId: id('user').describe('The owner of the opportunities').optional(),
    teamId: id('team').describe('The team of the records').optional(),
    pipelineId: id('pipeline').describe('The pipeline of the opportunities').optional(),
    from: timestamp().describe('The time of the first event').optional(),
    to: timestamp().describe('The time of the last event').optional(),
    createdFrom: timestamp().describe('The first time of creation').optional(),
    createdTo: timestamp().describe('The last time of creation').optional(),
    convertedFrom: timestamp().describe('The first time of conversion').optional(),
    convertedTo: timestamp().describe('The last time of conversion').optional(),
    closedFrom: timestamp().describe('The first time of the win or loss').optional(),
    closedTo: timestamp().describe('The last time of the win or loss').optional(),
    completedFrom: timestamp().describe('The first time of completion').optional(),
    completedTo: timestamp().describe('The last time of completion').optional(),
  })
  .meta({
    description: 'The query parameters of the list',
    examples: [{ createdFrom: '2026-03-01T23:00:00.000Z', createdTo: '2026-03-31T21:59:59.999Z' }],
  });

/** A list whose records are those that a number counts. */
export const ListOfRecords = z.object({
  number: z.string().meta({ description: 'The path of the number in the response', examples: ['leads.new'] }),
  path: z.string().meta({ description: 'The path of the list', examples: ['/v1/leads'] }),
  query: ListFilters,
});
