import type { Caller } from '@tandem/caller';
import type { FieldError, Operation } from '@tandem/contract';
import type { dedupeActions, dedupeKeys } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import { fail } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import type { Definition, Entity } from '../custom-fields/custom-field.ts';
import type { Defined } from './definitions.ts';
import type { ImportedType } from './import.ts';

/** The texts of a row by field. */
export type Texts = Record<string, string>;

export interface Dedupe {
  by: (typeof dedupeKeys)[number];
  action: (typeof dedupeActions)[number];
}

/** A row that passed the check. */
export interface Checked<Body = never> {
  row: number;
  /** The body of the operation that creates one record. A row that may update a record can lack required fields. */
  body: Body;
  /** The fields that the row itself has; the others of the body are defaults, which change no existing record. */
  given: ReadonlySet<string>;
}

/** The outcome of a row. */
export type Outcome =
  | { row: number; action: 'created'; id: number }
  | { row: number; action: 'updated'; id: number; before: Record<string, unknown>; after: Record<string, unknown> }
  | { row: number; action: 'skipped' }
  | { row: number; action: 'failed'; errors: FieldError[] };

/** Finds a record by what rows call it; `several` when that is not clear. */
export type Lookup = ReadonlyMap<string, number | 'several'>;

/** Users, leads and accounts that the texts of a batch name. */
export interface Known {
  /** Active users by their address in lower case. */
  users: ReadonlyMap<string, number>;
  leads: Lookup;
  accounts: Lookup;
}

/** The context in which a row is converted. */
export interface RowContext {
  tenantId: number;
  defined: Defined;
  known: Known;
  errors: FieldError[];
}

/** The transaction of a batch, and the person who started the import. */
export interface Batch {
  tx: Tx;
  emit: Emit;
  actor: Pick<Caller, 'userId' | 'onBehalfOf' | 'teamIds'>;
}

/** The counts of an undo. */
export interface Undone {
  deleted: number;
  restored: number;
  kept: number;
}

/** How records of one type are imported. */
// biome-ignore lint/suspicious/noExplicitAny: bodies and references are between the functions of one target.
export interface ImportTarget<Body = any, References = any> {
  type: ImportedType & Entity;
  /** The operation that creates one record, whose rules apply to each row. */
  row: Operation;
  /** The fields that a column can have, with the names of columns that mean this field. */
  fields: Record<string, readonly string[]>;
  dedupe: { by: readonly Dedupe['by'][]; usual: Dedupe };
  /** The records that rows may update without the fields that a new one requires; absent if the key is the only one. */
  existing?: {
    required: readonly string[];
    /** The value by which a row is recognized. */
    keyOf(body: Body, dedupe: Dedupe): string | undefined;
    /** The oldest present record of each key. */
    find(tx: Tx, dedupe: Dedupe, keys: readonly string[]): Promise<ReadonlyMap<string, number>>;
  };
  /** The field that names the user who gets the record, by id or address. */
  userField: string;
  /** Fails unless the caller may read every record that rows can be linked to by the fields of the import. */
  checkCaller?(caller: Caller, fields: readonly (string | null)[]): void;
  /** Finds the leads and accounts that rows name. */
  findRelated?(tx: Tx, texts: readonly Texts[], tenantId: number): Promise<Pick<Known, 'leads' | 'accounts'>>;
  /** Converts the texts of a row to a body in its wire form; adds what cannot be converted to `errors`. */
  toBody(texts: Texts, context: RowContext): Record<string, unknown>;
  /** Reads what the rows refer to in other services, before the transaction opens. */
  findReferences(records: readonly Checked<Body>[], caller: Caller, tx: Tx): Promise<References>;
  /** The errors of a row that depend on its references. */
  referenceErrors(body: Body, references: References): FieldError[];
  /** Creates and updates the records of a batch, each with its event. */
  write(
    records: readonly Checked<Body>[],
    batch: Batch & { dedupe: Dedupe; references: References; definitions: readonly Definition[] },
  ): Promise<Outcome[]>;
  /** Deletes the records that were created, and restores those that were updated, each with its event. */
  undo(outcomes: readonly Outcome[], batch: Batch): Promise<Undone>;
}

/** Rejects settings that the type of record does not have, naming each. */
export function checkSettings(
  target: ImportTarget,
  {
    mapping,
    dedupe,
    defaults,
    columns,
  }: {
    mapping: Record<string, string | null>;
    dedupe: { by: string };
    defaults: Record<string, unknown>;
    columns?: readonly string[];
  },
): void {
  const { by } = target.dedupe;
  const errors = [...mappingErrors(target, mapping, columns), ...defaultsErrors(target, defaults)];
  if (!(by as readonly string[]).includes(dedupe.by))
    errors.push({ field: 'dedupe.by', message: `Must be one of ${by.join(', ')}` });
  if (errors.length) throw fail('validation_failed', errors);
}

/** The field of a custom field, also the name of its column in our exports. */
export const customField = /^customFields\.[^.]{1,64}$/;

/** The errors of a mapping, by column. */
export function mappingErrors(
  { fields }: ImportTarget,
  mapping: Record<string, string | null>,
  columns?: readonly string[],
): FieldError[] {
  const used = new Set<string>();
  const hasCustomFields = 'customFields' in fields;
  return Object.entries(mapping).flatMap(([column, field]) => {
    const error = (message: string) => [{ field: `mapping.${column}`, message }];
    if (columns?.length && !columns.includes(column)) return error('Is not a column of the file');
    if (field === null) return [];
    if (field === 'customFields' || !(Object.hasOwn(fields, field) || (hasCustomFields && customField.test(field))))
      return error(`Must be one of ${fieldNames(fields)}`);
    if (used.has(field)) return error(`The field ${field} has another column already`);
    used.add(field);
    return [];
  });
}

/** The errors of default values, by field. */
function defaultsErrors({ fields }: ImportTarget, defaults: Record<string, unknown>): FieldError[] {
  const isKnown = (field: string) =>
    field !== 'customFields' && (Object.hasOwn(fields, field) || ('customFields' in fields && customField.test(field)));
  return Object.keys(defaults)
    .filter((field) => !isKnown(field))
    .map((field) => ({ field: `defaults.${field}`, message: `Must be one of ${fieldNames(fields)}` }));
}

function fieldNames(fields: ImportTarget['fields']): string {
  return Object.keys(fields)
    .map((field) => (field === 'customFields' ? 'customFields.<key>' : field))
    .join(', ');
}
