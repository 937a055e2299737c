import { CustomField } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { CustomField as CustomFieldRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type CustomFieldRecord = z.output<typeof CustomField>;
export type Entity = CustomFieldRecord['entityType'];
type Type = CustomFieldRecord['type'];

/** A definition with the column that holds its values for sorting, and the number of the pass over existing records. */
export type Definition = CustomFieldRecord & { slot: string | null; pass: number };

const columns = CustomField.pick({ entityType: true, type: true, status: true, options: true });

/** Converts a row to the contract's `CustomField`. */
export function asCustomField(row: CustomFieldRow): Definition {
  return { ...row, ...columns.parse(row) };
}

const columnsOf = (kind: string, count: number) =>
  Array.from({ length: count }, (_, index) => `custom${kind}${index + 1}`);

/** The columns that hold values of sortable fields, by type. */
const slotsOf: Partial<Record<Type, readonly string[]>> = {
  text: columnsOf('Text', 4),
  select: columnsOf('Text', 4),
  number: columnsOf('Number', 4),
  date: columnsOf('Date', 2),
};

/** The types whose values can be unique. */
export const uniqueTypes: readonly Type[] = ['text', 'number', 'date', 'url'];
/** The types by which lists can be sorted. */
export const sortableTypes = Object.keys(slotsOf) as Type[];

/** The definitions of an entity type, which every write of custom fields reads. */
export async function readDefinitions(tx: Tx, entityType: Entity): Promise<Definition[]> {
  const rows = await tx.customField.findMany({ where: { entityType, removedAt: null } });
  return rows.map(asCustomField);
}

/** Locks the definition, so that checks on it still hold when it is written. */
export async function lockCustomField(tx: Tx, id: number): Promise<Definition> {
  const row = await tx.customField.lockFirst({ where: { id, removedAt: null } });
  if (!row) throw fail('not_found');
  return asCustomField(row);
}

/** Locks the definitions of an entity type: two requests must not take the same column. */
export async function lockDefinitions(tx: Tx, entityType: Entity): Promise<void> {
  await tx.sql`SELECT pg_advisory_xact_lock(hashtextextended(${`custom_field ${entityType}`},
    platform.tenant_id() * 2 + (platform.environment() = 'live')::int))`;
}

/**
 * A column for the values of a sortable field that no other field uses. The column of a deleted field is free when it
 * is empty.
 * @throws 409 when all columns of the type are in use
 */
export async function freeSlot(tx: Tx, { entityType, type }: { entityType: Entity; type: Type }): Promise<string> {
  const used = await tx.customField.findMany({ where: { entityType, slot: { not: null } }, select: { slot: true } });
  const free = slotsOf[type]?.find((slot) => !used.some((one) => one.slot === slot));
  if (!free) throw fail('no_slot');
  return free;
}

/** The data of an event about a definition. */
export function eventDataOf({ id: customFieldId, entityType, key }: CustomFieldRecord) {
  return { customFieldId, entityType, key };
}
