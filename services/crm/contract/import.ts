import { event, id, stateTable, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const importStatuses = ['mapped', 'validated', 'running', 'completed', 'failed', 'undoing', 'undone'] as const;
export const importedTypes = ['lead', 'opportunity', 'account'] as const;
export const dedupeKeys = ['email', 'externalId', 'phone', 'name', 'domain'] as const;
export const dedupeActions = ['skip', 'update', 'create'] as const;

/** Limits of an import. */
export const importLimits = { rows: 100_000, columns: 200, cell: 10_000, bytes: 52_428_800, days: 30 } as const;

export const ImportedType = z.enum(importedTypes).describe('The type of the records');
/** The format of a file with a table. */
export const TableFormat = z.enum(['csv', 'xlsx']).describe('The format of the file');
export const DedupeKey = z.enum(dedupeKeys).describe('The field by which a row is recognized as an existing record');
export const DedupeAction = z
  .enum(dedupeActions)
  .describe(
    'What happens with a row whose record exists: `skip` leaves the record as it is, `update` changes the fields that the row has, and requires the others only of a new record, `create` creates another record',
  );

export const importStates = stateTable<(typeof importStatuses)[number]>('Import', {
  created: { mapped: 'createLeadImport' },
  changes: {
    mapped: {},
    validated: { mapped: 'updateLeadImport', running: 'startLeadImport' },
    running: {},
    completed: { undoing: 'undoLeadImport' },
    // Only an import that created or updated records before it failed.
    failed: { undoing: 'undoLeadImport' },
    undoing: {},
    undone: {},
  },
  automatic: {
    mapped: { validated: 'analyse-import.job', failed: 'analyse-import.job' },
    running: { completed: 'run-import.job', failed: 'run-import.job' },
    undoing: { undone: 'undo-import.job', completed: 'undo-import.job', failed: 'undo-import.job' },
  },
});

export const ImportStatus = z
  .enum(importStatuses)
  .describe(
    'The state of the import: `mapped` while its file is read and checked, `validated` when it can start, then `running`, `completed` or `failed`, and `undoing` and `undone` after an undo',
  );
const Column = text(255);
const Field = text(100);
export const ImportMapping = z
  .record(Column, Field.nullable())
  .refine((mapping) => Object.keys(mapping).length <= importLimits.columns, {
    error: `Must have at most ${importLimits.columns} columns`,
  })
  .meta({
    description:
      'The field of each column, by the name of the column in the first row of the file; null or absent leaves the column out. `customFields.<key>` puts it into a custom field.',
    examples: [{ 'E-Mail': 'email', Vorname: 'firstName', Nachname: 'lastName', Branche: 'customFields.industry' }],
  });
export const ImportDedupe = z
  .object({
    by: DedupeKey.meta({ examples: ['email'] }),
    action: DedupeAction.meta({ examples: ['skip'] }),
  })
  .describe('What happens with rows of records that exist');
export const ImportDefaults = z
  .record(Field, z.union([text(importLimits.cell), z.number(), z.boolean()]))
  .refine((defaults) => Object.keys(defaults).length <= 50, { error: 'Must have at most 50 fields' })
  .meta({
    description: 'Values of fields for rows that have none, as they would be in the file',
    examples: [{ source: 'import', tags: 'fair-2026' }],
  });
const count = (description: string, example = 0) => z.int().meta({ description, examples: [example] });

export const Import = z.object({
  id: id('import'),
  tenantId: id('tenant'),
  entityType: ImportedType,
  fileId: id('file').describe('The uploaded file'),
  filename: z.string().meta({ description: 'The name of the file', examples: ['leads.csv'] }),
  status: ImportStatus.meta({ examples: ['validated'] }),
  allowedTransitions: z
    .array(ImportStatus)
    .meta({ description: 'The statuses that this import can currently change to', examples: [['mapped', 'running']] }),
  format: z
    .object({
      type: TableFormat,
      encoding: z
        .string()
        .nullable()
        .meta({ description: 'The character encoding of a CSV file', examples: ['utf-8'] }),
      delimiter: z
        .string()
        .nullable()
        .meta({ description: 'The separator of a CSV file', examples: [';'] }),
    })
    .nullable()
    .describe('The detected format; null until the file is read'),
  columns: z.array(z.string()).meta({
    description: 'The columns of the file; empty until it is read',
    examples: [['E-Mail', 'Vorname', 'Nachname', 'Branche']],
  }),
  mapping: ImportMapping,
  dedupe: ImportDedupe,
  defaults: ImportDefaults,
  counts: z
    .object({
      rows: count('The rows of the file without its first row and empty rows', 2),
      valid: count('The rows that passed the check', 2),
      invalid: count('The rows that did not pass the check; they are left out', 0),
      processed: count('The rows that are done'),
      created: count('The records that were created'),
      updated: count('The records that were updated'),
      skipped: count('The rows whose record existed'),
      failed: count('The rows that could not be imported'),
    })
    .describe('The numbers of rows'),
  jobId: id('job').nullable().describe('The latest background job; GET /v1/jobs/:id returns its progress'),
  error: z
    .object({
      code: z.string().meta({ description: 'The reason, for programs', examples: ['unreadable_file'] }),
      message: z.string().meta({ description: 'The reason, for people', examples: ['The file is empty'] }),
    })
    .nullable()
    .meta({ description: 'Why the import failed; null otherwise', examples: [null] }),
  startedAt: timestamp()
    .nullable()
    .meta({ description: 'When the import was started', examples: [null] }),
  completedAt: timestamp()
    .nullable()
    .meta({ description: 'When all rows were processed', examples: [null] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** An import with the first rows of its file. */
export const ImportDetail = Import.extend({
  preview: z
    .array(
      z.object({
        row: count('The row in the file; the first row has the names of the columns', 2),
        values: z
          .record(z.string(), z.unknown())
          .meta({ description: 'The fields as they are imported', examples: [{ email: 'ada@example.com' }] }),
        errors: z
          .array(
            z.object({
              field: z.string().meta({ description: 'The field', examples: ['email'] }),
              message: z.string().meta({ examples: ['Must be a valid e-mail address'] }),
            }),
          )
          .meta({ description: 'Why the row cannot be imported', examples: [[]] }),
      }),
    )
    .describe('The first 10 rows, mapped'),
});

const importEvent = (name: string, verb: string, description: string) =>
  event(`import.${name}`, {
    description,
    action: `import.${verb}`,
    target: 'import',
    data: z.object({ importId: id('import') }),
    record: Import,
  });
export const importCreated = importEvent('created', 'create', 'An import is created');
export const importUpdated = importEvent('updated', 'update', 'The mapping of an import is modified');
export const importStarted = importEvent('started', 'start', 'An import starts');
export const importCompleted = importEvent('completed', 'complete', 'All rows of an import are processed');
export const importFailed = importEvent('failed', 'fail', 'An import fails');
export const importUndoStarted = importEvent('undo_started', 'start_undo', 'The undo of an import starts');
export const importUndone = importEvent('undone', 'undo', 'An import is undone');
