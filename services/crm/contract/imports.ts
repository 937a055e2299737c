import {
  event,
  id,
  listQuery,
  media,
  operations,
  page,
  sharedErrors,
  stateTable,
  text,
  timestamp,
} from '@tandem/contract';
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
    'What happens with a row whose record exists: `skip` leaves the record as it is, `update` changes the fields that the row has, `create` creates another record',
  );

export const importStates = stateTable<(typeof importStatuses)[number]>('Import', {
  created: { mapped: 'createLeadImport' },
  changes: {
    mapped: {},
    validated: { mapped: 'updateLeadImport', running: 'startLeadImport' },
    running: {},
    completed: { undoing: 'undoLeadImport' },
    failed: {},
    undoing: {},
    undone: {},
  },
  automatic: {
    mapped: { validated: 'analyse-import.job', failed: 'analyse-import.job' },
    running: { completed: 'run-import.job', failed: 'run-import.job' },
    undoing: { undone: 'undo-import.job', completed: 'undo-import.job' },
  },
});

export const ImportStatus = z
  .enum(importStatuses)
  .describe(
    'The state of the import: `mapped` while its file is read and checked, `validated` when it can start, then `running`, `completed` or `failed`, and `undoing` and `undone` after an undo',
  );
const Column = text(255);
const Field = text(100);
const Mapping = z
  .record(Column, Field.nullable())
  .refine((mapping) => Object.keys(mapping).length <= importLimits.columns, {
    error: `Must have at most ${importLimits.columns} columns`,
  })
  .meta({
    description:
      'The field of each column, by the name of the column in the first row of the file; null or absent leaves the column out. `customFields.<key>` puts it into a custom field.',
    examples: [{ 'E-Mail': 'email', Vorname: 'firstName', Nachname: 'lastName', Branche: 'customFields.industry' }],
  });
const Dedupe = z
  .object({
    by: DedupeKey.meta({ examples: ['email'] }),
    action: DedupeAction.meta({ examples: ['skip'] }),
  })
  .describe('What happens with rows of records that exist');
const Defaults = z
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
  mapping: Mapping,
  dedupe: Dedupe,
  defaults: Defaults,
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

type Plural = 'leads' | 'opportunities' | 'accounts';
const withId = z.object({ id: id('import') });
const refused = { transition_refused: sharedErrors.transition_refused } as const;

const create = <P extends Plural>(records: P) =>
  ({
    method: 'POST',
    path: `/v1/${records}/imports`,
    permission: `${records}:write`,
    also: ['files:read'],
    summary: `Import ${records}`,
    description:
      'Imports a CSV or XLSX file that was uploaded with POST /v1/files/upload: at most 100,000 rows, 200 columns and 50 MiB. A CSV file can have UTF-8, UTF-16 or Windows-1252 text, separated by comma, semicolon, tab or `|`; of an XLSX file the first sheet is read, and of a formula its stored result. A background job reads the file, guesses the mapping unless you send one, and checks every row; nothing is imported until POST /:id/start. Rows follow the rules of the operation that creates a single record.',
    body: z.object({
      fileId: id('file'),
      mapping: Mapping.optional(),
      dedupe: Dedupe.optional(),
      defaults: Defaults.optional(),
    }),
    reply: Import,
    status: 202,
    message: 'Import created',
    emits: [importCreated],
  }) as const;
const list = <P extends Plural>(records: P) =>
  ({
    method: 'GET',
    path: `/v1/${records}/imports`,
    permission: `${records}:read`,
    summary: `List imports of ${records}`,
    description: 'Imports are kept for 30 days after their last change.',
    query: listQuery(['createdAt']).omit({ search: true }).extend({ status: ImportStatus.optional() }),
    reply: page(Import),
    message: 'Imports retrieved',
  }) as const;
const get = <P extends Plural>(records: P) =>
  ({
    method: 'GET',
    path: `/v1/${records}/imports/:id`,
    permission: `${records}:read`,
    summary: `Retrieve an import of ${records}`,
    params: withId,
    reply: ImportDetail,
    message: 'Import retrieved',
  }) as const;
const update = <P extends Plural>(records: P) =>
  ({
    method: 'PATCH',
    path: `/v1/${records}/imports/:id`,
    permission: `${records}:write`,
    summary: `Correct the mapping of an import of ${records}`,
    description: 'Only before the import is started. All rows are checked again. `mapping` is replaced as a whole.',
    params: withId,
    body: z.object({ mapping: Mapping.optional(), dedupe: Dedupe.optional(), defaults: Defaults.optional() }),
    reply: Import,
    message: 'Import updated',
    emits: [importUpdated],
    errors: refused,
  }) as const;
const start = <P extends Plural>(records: P) =>
  ({
    method: 'POST',
    path: `/v1/${records}/imports/:id/start`,
    permission: `${records}:write`,
    summary: `Start an import of ${records}`,
    description:
      'Creates and updates the records in the background; rows that did not pass the check are left out. Imports of a tenant run one after another.',
    params: withId,
    reply: Import,
    status: 202,
    message: 'Import started',
    emits: [importStarted],
    errors: refused,
  }) as const;
const undo = <P extends Plural>(records: P) =>
  ({
    method: 'POST',
    path: `/v1/${records}/imports/:id/undo`,
    permission: `${records}:write`,
    also: [`${records}:delete`],
    summary: `Undo an import of ${records}`,
    description:
      'Within 30 days. Deletes the records that the import created, and restores the fields of those that it updated, unless they were changed since. The records that are kept are counted in the result of the job.',
    params: withId,
    reply: Import,
    status: 202,
    message: 'Undo started',
    emits: [importUndoStarted],
    errors: refused,
  }) as const;
const errorsOf = <P extends Plural>(records: P) =>
  ({
    method: 'GET',
    path: `/v1/${records}/imports/:id/errors.csv`,
    permission: `${records}:read`,
    summary: `Download the errors of an import of ${records}`,
    description: 'A CSV file with one line per error: `row`, `column`, `field`, `value` and `reason`.',
    params: withId,
    reply: media('text/csv'),
    message: 'The errors of the import as CSV',
  }) as const;

/** Imports, by the resource of the records: the same operations for each. */
export const imports = operations({
  createLeadImport: create('leads'),
  listLeadImports: list('leads'),
  getLeadImport: get('leads'),
  updateLeadImport: update('leads'),
  startLeadImport: start('leads'),
  undoLeadImport: undo('leads'),
  getLeadImportErrors: errorsOf('leads'),
  createAccountImport: create('accounts'),
  listAccountImports: list('accounts'),
  getAccountImport: get('accounts'),
  updateAccountImport: update('accounts'),
  startAccountImport: start('accounts'),
  undoAccountImport: undo('accounts'),
  getAccountImportErrors: errorsOf('accounts'),
});
