import { id, listQuery, media, operations, page, sharedErrors } from '@tandem/contract';
import { z } from 'zod';
import {
  Import,
  ImportDedupe,
  ImportDefaults,
  ImportDetail,
  ImportMapping,
  ImportStatus,
  importCreated,
  importStarted,
  importUndoStarted,
  importUpdated,
} from './import.ts';

type Plural = 'leads' | 'opportunities' | 'accounts';
const withId = z.object({ id: id('import') });
const refused = { transition_refused: sharedErrors.transition_refused } as const;

/** What the files of one type of record have besides the rules that all imports have. */
const rules = {
  leads:
    '`status` is a lead status or the code or name of one that you defined, and `consent.email` and the other channels are `granted`, `denied` or `unknown`. Leads get the account of the domain of their address, and are scored and assigned by your rules.',
  accounts:
    'A row has the parts of the address as fields of their own: `street`, `postalCode`, `city`, `region`, `country`.',
  opportunities:
    '`stage` is the code or name of an open stage of `pipeline`, by default of your default pipeline; `lead` is an e-mail address, an external id or an id; `account` is a domain, an external id, a name or an id; `teamId` and `partnerId` are ids. A partner of the row replaces that of its lead, and needs the permission `partners:read`. `value` may name its currency, such as `4800 EUR`. A row is recognized by its name among the opportunities of its lead, else of its account, else among all.',
} as const;

const create = <P extends Plural, Also extends readonly `${string}:read`[]>(records: P, ...also: Also) =>
  ({
    method: 'POST',
    path: `/v1/${records}/imports`,
    permission: `${records}:write`,
    also: ['files:read', ...also],
    summary: `Import ${records}`,
    description: `Imports a CSV or XLSX file that was uploaded with POST /v1/files/upload: at most 100,000 rows, 200 columns and 50 MiB. A CSV file can have UTF-8, UTF-16 or Windows-1252 text, separated by comma, semicolon, tab or \`|\`; of an XLSX file the first sheet is read, and of a formula its stored result. A background job reads the file, guesses the mapping unless you send one, and checks every row; nothing is imported until POST /:id/start. Rows follow the rules of the operation that creates a single record. ${rules[records]} A user is named by e-mail address or id. Dates are ISO 8601, such as \`2026-03-31\`, or as your preferences or the language of the tenant have them; a date that can be read in two ways is an error of its row, and a date without a time is its midnight in UTC. Permissions that are narrowed to own or team records are not sufficient.`,
    body: z.object({
      fileId: id('file'),
      mapping: ImportMapping.optional(),
      dedupe: ImportDedupe.optional(),
      defaults: ImportDefaults.optional(),
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
const update = <P extends Plural, Also extends readonly `${string}:read`[]>(records: P, ...also: Also) =>
  ({
    method: 'PATCH',
    path: `/v1/${records}/imports/:id`,
    permission: `${records}:write`,
    also,
    summary: `Correct the mapping of an import of ${records}`,
    description: 'Only before the import is started. All rows are checked again. `mapping` is replaced as a whole.',
    params: withId,
    body: z.object({
      mapping: ImportMapping.optional(),
      dedupe: ImportDedupe.optional(),
      defaults: ImportDefaults.optional(),
    }),
    reply: Import,
    message: 'Import updated',
    emits: [importUpdated],
    errors: refused,
  }) as const;
const startErrors = {
  ...refused,
  no_valid_rows: [
    409,
    'No row passed the check; correct the mapping, or create an import of a corrected file. The errors of the rows are at GET /:id/errors.csv',
  ],
} as const;
const start = <P extends Plural, Also extends readonly `${string}:read`[]>(records: P, ...also: Also) =>
  ({
    method: 'POST',
    path: `/v1/${records}/imports/:id/start`,
    permission: `${records}:write`,
    also,
    summary: `Start an import of ${records}`,
    description:
      'Creates and updates the records in the background; rows that did not pass the check are left out. Imports of a tenant run one after another. While the API answers many requests, an import takes longer, so that the requests do not.',
    params: withId,
    reply: Import,
    status: 202,
    message: 'Import started',
    emits: [importStarted],
    errors: startErrors,
  }) as const;
const undo = <P extends Plural>(records: P) =>
  ({
    method: 'POST',
    path: `/v1/${records}/imports/:id/undo`,
    permission: `${records}:write`,
    also: [`${records}:delete`],
    summary: `Undo an import of ${records}`,
    description:
      'Within 30 days. Deletes the records that the import created, and restores the fields of those that it updated, unless they were changed since. An import that failed can be undone when it had created or updated records. Converted leads, closed opportunities and accounts with open opportunities are kept. The records that are kept are counted in the result of the job.',
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
  createOpportunityImport: create('opportunities', 'leads:read', 'accounts:read'),
  listOpportunityImports: list('opportunities'),
  getOpportunityImport: get('opportunities'),
  updateOpportunityImport: update('opportunities', 'leads:read', 'accounts:read'),
  startOpportunityImport: start('opportunities', 'leads:read', 'accounts:read'),
  undoOpportunityImport: undo('opportunities'),
  getOpportunityImportErrors: errorsOf('opportunities'),
});
