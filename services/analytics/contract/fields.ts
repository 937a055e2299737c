import { id, timestamp } from '@tandem/contract';
import { z } from 'zod';

const dayForm = /^\d{4}-\d{2}-\d{2}$/;
const dayError = 'Must be a date such as 2026-03-02, or an ISO 8601 time such as 2026-03-02T10:00:00Z';

/** A day in the time zone of the request: as a date, or as a time on that day. The text stays as it was sent. */
export const Day = z
  .string({ error: dayError })
  .refine((text) => isDay(text) || z.iso.datetime({ offset: true }).safeParse(text).success, { error: dayError })
  .refine((text) => !/^\d{4}/.test(text) || Number(text.slice(0, 4)) >= 2000, { error: 'Must not be before the year 2000' })
  .meta({ examples: ['2026-03-02'] });

/** Whether a text is a date that exists. */
export function isDay(text: string): boolean {
  return dayForm.test(text) && z.iso.date().safeParse(text).success;
}

/** The filters of lists that numbers refer to. */
const ListFilters = z
  .object({
    status: z.string().optional(),
    source: z.string().optional(),
    type: z.string().optional(),
    open: z.literal('true').optional(),
    overdue: z.literal('true').optional(),
    converted: z.literal('true').optional(),
    cancelled: z.literal('false').optional(),
    includeAutomated: z.literal('true').optional(),
    assignedTo: id('user').optional(),
    ownerId: id('user').optional(),
    teamId: id('team').optional(),
    from: timestamp().optional(),
    to: timestamp().optional(),
    createdFrom: timestamp().optional(),
    createdTo: timestamp().optional(),
    convertedFrom: timestamp().optional(),
    convertedTo: timestamp().optional(),
    closedFrom: timestamp().optional(),
    closedTo: timestamp().optional(),
    completedFrom: timestamp().optional(),
    completedTo: timestamp().optional(),
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
