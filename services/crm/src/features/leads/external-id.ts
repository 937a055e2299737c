import { idInText } from '@tandem/contract';
import { fail } from '@tandem/service';
import type { Tx } from '../../handler.ts';

/**
 * Locks external ids until the end of the transaction, so that two requests cannot both find one free. Taken before the locks
 * of leads, and in one order, so that two transactions cannot wait for each other.
 */
export async function lockExternalIds(tx: Tx, externalIds: readonly (string | null | undefined)[]): Promise<void> {
  const wanted = externalIds.filter((one) => typeof one === 'string');
  if (!wanted.length) return;
  await lockKeys(tx, 'lead external id', wanted);
}

/** Locks values of a key of leads, in one order. */
export async function lockKeys(tx: Tx, kind: string, values: readonly string[]): Promise<void> {
  await tx.sql`SELECT pg_advisory_xact_lock(key) FROM (
    SELECT DISTINCT hashtextextended(${kind} || ' ' || value,
      platform.tenant_id() * 2 + (platform.environment() = 'live')::int) AS key
    FROM unnest(${values}::text[]) AS value ORDER BY key) AS keys`;
}

/**
 * Fails if another lead that is not deleted has the external id, even one that the caller cannot access.
 * @param leadId the lead that may have it
 */
export async function checkExternalId(tx: Tx, externalId: string | null | undefined, leadId = 0): Promise<void> {
  if (typeof externalId !== 'string') return;
  await lockExternalIds(tx, [externalId]);
  const [other] = await tx.sql<{ id: number }>`
    SELECT id FROM lead WHERE external_id = ${externalId} AND deleted_at IS NULL AND id <> ${leadId} LIMIT 1`;
  if (!other) return;
  // A narrowed caller must not get ids of leads that they cannot read.
  const isReadable = (await tx.lead.count({ where: { id: other.id } })) > 0;
  const holder = isReadable ? `the lead ${idInText('lead', other.id)} has it` : 'another lead has it';
  throw fail('external_id_taken', [{ field: 'externalId', message: `Must be unique; ${holder}` }]);
}
