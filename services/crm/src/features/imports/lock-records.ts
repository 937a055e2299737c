import type { Tx } from '../../handler.ts';
import { tables } from '../custom-fields/columns.ts';
import type { Entity } from '../custom-fields/custom-field.ts';

/** Locks the records of a batch in the order of their ids, so that it and a merge cannot wait for each other. */
export async function lockRecords(tx: Tx, entityType: Entity, ids: readonly number[]): Promise<void> {
  if (!ids.length) return;
  await tx.sql`SELECT id FROM ${tables[entityType]} WHERE id = ANY(${ids}::bigint[]) ORDER BY id FOR UPDATE`;
}
