import { bulkSelection, event, id, JobStarted, media, operations, sharedErrors, text } from '@tandem/contract';
import { z } from 'zod';
import { accounts } from './accounts.ts';
import { TableFormat } from './import.ts';
import { leads } from './leads.ts';
import { opportunities } from './opportunities.ts';
import { tasks } from './tasks.ts';

/** Limits of an export. */
export const exportLimits = { rows: 1_000_000, columns: 100, days: 7 } as const;

const exportedTypes = ['lead', 'opportunity', 'account', 'task'] as const;

const exportEvent = { target: 'job', record: z.object({ id: id('job') }) } as const;
export const exportRequested = event('export.requested', {
  ...exportEvent,
  description: 'An export of records is requested',
  action: 'export.create',
  data: z.object({ jobId: id('job'), entityType: z.enum(exportedTypes), format: TableFormat }),
});
export const exportDownloaded = event('export.downloaded', {
  ...exportEvent,
  description: 'An export of records is downloaded',
  action: 'export.download',
  data: z.object({ jobId: id('job') }),
});

const body = <Query extends z.ZodObject>(query: Query, columns: string[]) => {
  const { filter } = bulkSelection(query);
  return z
    .object({
      format: TableFormat.meta({ examples: ['csv'] }),
      columns: z
        .array(text(100))
        .min(1, 'Must contain at least 1 column')
        .max(exportLimits.columns, `Must contain at most ${exportLimits.columns} columns`)
        .describe(
          'The columns of the file, in their order: fields of the record, `customFields.<key>` for a custom field, and of leads `consent.<channel>` for the state of a consent. By default all fields.',
        )
        .optional(),
      filter: filter.describe('Exports only matching records; the filters of the list').optional(),
    })
    .meta({ examples: [{ format: 'csv', columns }] });
};

const create = <P extends string, Query extends z.ZodObject>(records: P, query: Query, columns: string[]) =>
  ({
    method: 'POST',
    path: `/v1/${records}:export`,
    permission: `${records}:read`,
    // The filters are checked as those of the list are.
    checksPermissions: true,
    narrows: true,
    summary: `Export ${records}`,
    description:
      'Starts a job that writes the records that the list shows to the caller into a file, the oldest first, at most 1,000,000. GET /v1/jobs/:id returns the progress and, for 7 days, a new download link at each request. In a CSV file, text that a spreadsheet would run as a formula begins with an apostrophe.',
    body: body(query, columns),
    reply: JobStarted,
    status: 202,
    message: 'Export started',
    emits: [exportRequested],
  }) as const;

/** Exports of what a list shows, by resource. */
export const recordExports = operations({
  createLeadExport: create('leads', leads.listLeads.query, ['email', 'firstName', 'lastName', 'customFields.industry']),
  createAccountExport: create('accounts', accounts.listAccounts.query, ['name', 'domain', 'industry']),
  createOpportunityExport: create('opportunities', opportunities.listOpportunities.query, ['name', 'value', 'stage']),
  createTaskExport: create('tasks', tasks.listTasks.query, ['title', 'status', 'dueAt']),
  downloadExport: {
    method: 'GET',
    path: '/v1/public/exports/:token',
    audience: 'public',
    summary: 'Download an export',
    description:
      'Returns the file. GET /v1/jobs/:id returns the URL of this operation, which works while the user who requested the link has the permission to read the records. Each download is in the audit log.',
    params: z.object({
      token: z
        .string()
        .max(2_000)
        .meta({ description: 'The token at the end of the link', examples: ['ThisIsOnlyAnExample'] }),
    }),
    reply: media('text/csv', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'),
    message: 'The file',
    emits: [exportDownloaded],
    errors: { link_expired: sharedErrors.link_expired },
  },
});
