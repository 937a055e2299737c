import { StatusDefinition } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import { lockNamed } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { StatusDefinition as StatusRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type StatusRecord = z.output<typeof StatusDefinition>;

/** The lead statuses, or the stages of one pipeline. */
export type StatusSet = Pick<StatusRecord, 'entityType' | 'pipelineId'>;

const columns = StatusDefinition.pick({ entityType: true, category: true });

/** Converts a row to the contract's `StatusDefinition`. */
export function asStatus(row: StatusRow): StatusRecord {
  return { ...row, ...columns.parse(row) };
}

/** The `data` of the events of a status. */
export function eventDataOf({ id: statusDefinitionId, entityType, code }: StatusRecord) {
  return { statusDefinitionId, entityType, code };
}

/**
 * Locks all definitions of a kind: two requests must not both find a code free, clear the same default or delete the last
 * two open stages.
 */
export async function lockDefinitions(tx: Tx, entityType: string): Promise<void> {
  await lockNamed(tx, 'status_definition', [entityType]);
}

/** Locks a status and all definitions of its kind. */
export async function lockStatus(tx: Tx, id: number): Promise<StatusRecord> {
  const found = await tx.statusDefinition.findFirst({ where: { id } });
  if (!found) throw fail('not_found');
  await lockDefinitions(tx, found.entityType);
  const row = await tx.statusDefinition.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return asStatus(row);
}

/** All definitions of a set, in their order. */
export async function statusesOf(tx: Tx, { entityType, pipelineId }: StatusSet): Promise<StatusRecord[]> {
  const rows = await tx.statusDefinition.findMany({
    where: { entityType, pipelineId },
    orderBy: [{ sortOrder: 'asc' }, { id: 'asc' }],
  });
  return rows.map(asStatus);
}

/** Writes changes to a locked status as its next version. */
export async function writeStatus(
  tx: Tx,
  id: number,
  data: Parameters<Tx['statusDefinition']['updateManyAndReturn']>[0]['data'],
): Promise<StatusRecord> {
  const [row] = await tx.statusDefinition.updateManyAndReturn({
    where: { id },
    data: { ...data, version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  return asStatus(row);
}
