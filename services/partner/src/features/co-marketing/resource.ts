import type { CoMarketingResource, coMarketingDeleted, coMarketingStatuses } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { CoMarketingResource as ResourceRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type ResourceRecord = z.output<typeof CoMarketingResource>;
export type ResourceStatus = (typeof coMarketingStatuses)[number];

const transitions: Record<ResourceStatus, readonly ResourceStatus[]> = { active: ['archived'], archived: ['active'] };

/** A row as the contract shows it. */
export function asResource(row: ResourceRow): ResourceRecord {
  return { ...(row as unknown as ResourceRecord), allowedTransitions: [...transitions[row.status as ResourceStatus]] };
}

/** A resource of the tenant, in one of these statuses. */
export async function readResource(tx: Tx, id: number, status?: ResourceStatus): Promise<ResourceRecord> {
  const row = await tx.coMarketingResource.findFirst({ where: { id, ...(status && { status }) } });
  if (!row) throw fail('not_found');
  return asResource(row);
}

/** The resource under lock, so that what is decided about it still holds when it is written. */
export async function lockResource(tx: Tx, id: number): Promise<ResourceRecord> {
  await tx.sql`SELECT id FROM co_marketing_resource WHERE id = ${id} FOR UPDATE`;
  return readResource(tx, id);
}

/** Writes changes to a locked resource as its next version. */
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

/** Refuses with 409 a move that the state table does not have, such as to the status it is in. */
export function checkTransition({ status: from }: ResourceRecord, to: ResourceStatus): void {
  if (transitions[from].includes(to)) return;
  throw fail('transition_refused', [
    { field: 'status', message: `From ${from} a resource can move to ${transitions[from].join(', ')}` },
  ]);
}

/** Moves a resource to another status. */
export async function moveResource(tx: Tx, resource: ResourceRecord, to: ResourceStatus) {
  const { id, status: from } = resource;
  checkTransition(resource, to);
  return { moved: await writeResource(tx, id, { status: to }), changes: { status: { from, to } } };
}

/** What events say of a resource. */
export function told(record: ResourceRecord): {
  data: { coMarketingResourceId: number };
  record: z.output<(typeof coMarketingDeleted)['record']>;
} {
  return { data: { coMarketingResourceId: record.id }, record };
}
