import {
  CoMarketingResource,
  type coMarketingDeleted,
  coMarketingStates,
  type coMarketingStatuses,
} from '@tandem/partner-contract';
import { fail, transitionError } from '@tandem/service';
import type { z } from 'zod';
import type { CoMarketingResource as ResourceRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type ResourceRecord = z.output<typeof CoMarketingResource>;
export type ResourceStatus = (typeof coMarketingStatuses)[number];

const columns = CoMarketingResource.pick({
  category: true,
  sourceType: true,
  fileType: true,
  minTier: true,
  status: true,
});

/** Converts a row to the contract's `CoMarketingResource`. */
export function asResource(row: ResourceRow): ResourceRecord {
  const checked = columns.parse(row);
  return { ...row, ...checked, allowedTransitions: coMarketingStates.next(checked.status) };
}

/** Loads a resource; 404 if there is none. */
export async function readResource(tx: Tx, id: number): Promise<ResourceRecord> {
  const row = await tx.coMarketingResource.findFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return asResource(row);
}

/** Loads a resource with a row lock. */
export async function lockResource(tx: Tx, id: number): Promise<ResourceRecord> {
  await tx.sql`SELECT id FROM co_marketing_resource WHERE id = ${id} FOR UPDATE`;
  return readResource(tx, id);
}

/** Updates a locked resource and increments its version. */
export async function writeResource(
  tx: Tx,
  id: number,
  data: Parameters<Tx['coMarketingResource']['updateManyAndReturn']>[0]['data'],
): Promise<ResourceRecord> {
  const [row] = await tx.coMarketingResource.updateManyAndReturn({
    where: { id },
    data: { ...data, version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  return asResource(row);
}

/** @throws 409 if the state table does not contain the status change; it never contains the current status */
export function checkTransition({ status: from }: ResourceRecord, to: ResourceStatus): void {
  if (coMarketingStates.next(from).includes(to)) return;
  throw fail('transition_refused', [transitionError(from, coMarketingStates.next(from))]);
}

/** Changes the status of a resource. */
export async function moveResource(tx: Tx, resource: ResourceRecord, to: ResourceStatus) {
  const { id, status: from } = resource;
  checkTransition(resource, to);
  return { moved: await writeResource(tx, id, { status: to }), changes: { status: { from, to } } };
}

/** Event data and record of a resource. */
export function resourceEvent(record: ResourceRecord): {
  data: { coMarketingResourceId: number };
  record: z.output<(typeof coMarketingDeleted)['record']>;
} {
  return { data: { coMarketingResourceId: record.id }, record };
}
