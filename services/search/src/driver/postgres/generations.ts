import { fragment } from '@tandem/tenant-db';
import type { Tx } from '../../database.ts';
import type { DocumentType } from '../document.ts';

const lockKey = fragment`hashtextextended('index generations', platform.tenant_id() * 2 + (platform.environment() = 'live')::int)`;

interface Generation {
  type: DocumentType;
  live: number;
  building: number | null;
}

/** The index of a generation, which is the type of its rows. */
export function indexName(type: DocumentType, generation: number): string {
  return generation === 1 ? type : `${type}:${generation}`;
}

/** The type of the documents in an index. */
export function typeOfIndex(index: string): DocumentType {
  return index.split(':')[0] as DocumentType;
}

/** The index in which documents of a type are searched. */
export async function liveIndex(tx: Tx, type: DocumentType): Promise<string> {
  const [row] = await tx.sql<Generation>`SELECT live FROM index_generation WHERE type = ${type}`;
  return indexName(type, row?.live ?? 1);
}

/**
 * The indexes into which documents are written: the live one and one that is being built. They stay the same until the end
 * of the transaction: a build begins, and its index becomes the live one, only between the transactions of writers.
 */
export async function writtenIndexes(
  tx: Tx,
): Promise<(type: DocumentType) => { live: string; building: string | undefined }> {
  // Two statements, sent together: the second one sees what was committed before the lock was granted.
  const [, rows] = await Promise.all([
    tx.sql`SELECT pg_advisory_xact_lock_shared(key)::text FROM ${lockKey} AS key`,
    tx.sql<Generation>`SELECT type, live, building FROM index_generation`,
  ]);
  const known = new Map(rows.map((row) => [row.type, row]));
  return (type) => {
    const { live = 1, building = null } = known.get(type) ?? {};
    return { live: indexName(type, live), building: building === null ? undefined : indexName(type, building) };
  };
}

/** Keeps the tenant's writers of documents out until the end of the transaction. */
export async function excludeWriters(tx: Tx): Promise<void> {
  await tx.sql`SELECT pg_advisory_xact_lock(key)::text FROM ${lockKey} AS key`;
}
