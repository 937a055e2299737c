import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '@tandem/contract';
import { ownValue } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { type Definition, type Entity, readDefinitions } from './custom-field.ts';
import { type Checked, checkValue, errorOf, givenValue } from './values.ts';

type Values = Record<string, unknown>;

/** The columns and keys that a record stores beside its custom fields. */
export interface CustomWrite {
  /** The columns by which lists sort and filter. */
  columns: Record<string, string | number | Date | null>;
  /** The values of unique fields. */
  keys: { fieldId: number; value: string }[];
  /** The unique fields whose values may have changed. */
  uniqueIds: number[];
}

const none: CustomWrite = { columns: {}, keys: [], uniqueIds: [] };

/**
 * Checks the custom fields of a record against their definitions. Values that did not change, and required fields that
 * the record lacked before, are accepted: they are older than the definition.
 * @param before the current custom fields; undefined for a new record
 * @param within the place of the fields in the body, for field errors
 * @throws 422 naming `customFields.<key>`
 */
export async function customWrite(
  tx: Tx,
  entityType: Entity,
  { after, before, within = '' }: { after: Values; before?: Values | undefined; within?: string },
): Promise<CustomWrite> {
  return writeOf(await readDefinitions(tx, entityType), { after, before, within });
}

/** The same for definitions that are already read, for many records at once. */
export function writeOf(
  definitions: readonly Definition[],
  { after, before, within = '' }: { after: Values; before?: Values | undefined; within?: string },
): CustomWrite {
  if (!definitions.length) return none;
  const errors: FieldError[] = [];
  const write: CustomWrite = { columns: {}, keys: [], uniqueIds: [] };
  for (const field of definitions) {
    const value = givenValue(ownValue(after, field.key));
    const earlier = givenValue(ownValue(before, field.key));
    const checked: Checked = value === null ? {} : checkValue(field, value);
    const problem = value === null ? missing(field, before === undefined || earlier !== null) : errorOf(checked);
    if (problem && (value === null || !isDeepStrictEqual(value, earlier)))
      errors.push({ field: `${within}customFields.${field.key}`, message: problem });
    const { sortValue, keyValue } = 'sortValue' in checked ? checked : { sortValue: null, keyValue: undefined };
    if (field.slot) write.columns[field.slot] = field.sortable ? sortValue : null;
    if (!field.unique) continue;
    write.uniqueIds.push(field.id);
    if (keyValue !== undefined) write.keys.push({ fieldId: field.id, value: keyValue });
  }
  if (errors.length) throw fail('validation_failed', errors);
  return write;
}

function missing({ required, label }: Definition, isRequiredNow: boolean): string | undefined {
  return required && isRequiredNow ? `Is required: ${label}` : undefined;
}

/**
 * Reserves the values of unique fields for a record, and releases its earlier ones. An error changes nothing, because in a
 * bulk operation it is the result of one record.
 * @throws 409 naming the field whose value another record has
 */
export async function claimValues(tx: Tx, { keys, uniqueIds }: CustomWrite, recordId: number): Promise<void> {
  if (!uniqueIds.length) return;
  const claimed: CustomWrite['keys'] = [];
  // In one order, because two transactions that claim the same values in different orders would wait for each other.
  for (const key of keys.toSorted((one, other) => one.fieldId - other.fieldId)) {
    const { fieldId, value } = key;
    const added = await tx.sql`INSERT INTO custom_field_key (field_id, value, record_id)
      VALUES (${fieldId}, ${value}, ${recordId}) ON CONFLICT DO NOTHING RETURNING record_id`;
    if (added.length) claimed.push(key);
    else if (!(await tx.customFieldKey.count({ where: { fieldId, value, recordId } }))) {
      for (const one of claimed) await tx.customFieldKey.deleteMany({ where: { ...one, recordId } });
      throw await valueTaken(tx, fieldId);
    }
  }
  const current = new Map(keys.map(({ fieldId, value }) => [fieldId, value]));
  const stored = await tx.customFieldKey.findMany({ where: { fieldId: { in: uniqueIds }, recordId } });
  for (const { fieldId, value } of stored)
    if (current.get(fieldId) !== value) await tx.customFieldKey.deleteMany({ where: { fieldId, value, recordId } });
}

/**
 * Reserves the values of unique fields for a new record, before it is created, because an error must leave no record.
 * @returns the id that the record has to get
 * @throws 409 naming the field whose value another record has
 */
export async function reserveValues(tx: Tx, entityType: Entity, custom: CustomWrite): Promise<{ id?: number }> {
  if (!custom.keys.length) return {};
  const [next] = await tx.sql<{ id: number }>`SELECT nextval(${`${entityType}_id_seq`}::regclass) AS id`;
  const { id } = next as { id: number };
  await claimValues(tx, custom, id);
  return { id };
}

async function valueTaken(tx: Tx, fieldId: number) {
  const field = await tx.customField.findFirst({ where: { id: fieldId } });
  const message = `Another record has this value; ${field?.label ?? 'the field'} is unique`;
  return fail('value_taken', [{ field: `customFields.${field?.key}`, message }]);
}

/**
 * Reserves the values of unique fields for a record that is restored.
 * @throws 409 when another record has taken one of them
 */
export async function claimAgain(
  tx: Tx,
  entityType: Entity,
  { id, customFields }: { id: number; customFields: Values },
): Promise<void> {
  await claimValues(tx, await customWrite(tx, entityType, { after: customFields, before: customFields }), id);
}

/** Releases the values of unique fields of a deleted record. */
export async function releaseAllValues(tx: Tx, entityType: Entity, recordId: number): Promise<void> {
  const definitions = await readDefinitions(tx, entityType);
  const uniqueIds = definitions.filter(({ unique }) => unique).map(({ id }) => id);
  if (uniqueIds.length) await releaseValues(tx, uniqueIds, recordId);
}

async function releaseValues(tx: Tx, fieldIds: number[], recordId: number): Promise<void> {
  await tx.customFieldKey.deleteMany({ where: { fieldId: { in: fieldIds }, recordId } });
}
