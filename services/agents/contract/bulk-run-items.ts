import { id, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { Execution, executionStatuses, LeadErrorCode, StepError } from './executions.ts';

/** The status of a lead in a bulk run. */
export const BulkRunItemStatus = z
  .enum([...executionStatuses, 'rejected'])
  .describe('The status of the execution; `rejected` for a lead that got none');

/** A lead of a bulk run: its execution, or why it was rejected. */
export const BulkRunItem = Execution.extend({
  id: id('execution').nullable().describe('The execution; null for a lead that was rejected'),
  leadId: id('lead').nullable().describe('The lead; null if it was not found'),
  requestedLeadId: z
    .string()
    .nullable()
    .meta({
      description: 'Of a rejected lead, the id in the request; null if that does not have the form of an id',
      examples: [null],
    }),
  status: BulkRunItemStatus.meta({ examples: ['succeeded'] }),
  error: StepError.nullable().meta({
    description: 'The error, if the execution failed, or why the lead was rejected',
    examples: [null],
  }),
});

/** A lead that was rejected in a bulk run, in the data of a person. */
export const BulkRunRejection = z.object({
  bulkRunId: id('bulk_run'),
  leadId: id('lead').nullable(),
  code: LeadErrorCode,
  createdAt: timestamp(),
});
