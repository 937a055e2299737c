import { actingUserId, type Caller } from '@tandem/caller';
import { allows } from '@tandem/contract';
import { View } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { View as ViewRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { readableResources } from './lists.ts';

export type ViewRecord = z.output<typeof View>;

const columns = View.pick({ layout: true, visibility: true });

/** Converts a row to the API resource. */
export function asView(row: ViewRow): ViewRecord {
  return { ...row, ...columns.parse(row) };
}

/** The acting user, to whom views belong. */
export function viewerOf(caller: Caller): number {
  const userId = actingUserId(caller);
  if (userId === undefined) throw fail('forbidden');
  return userId;
}

/** The condition for views that the acting user sees: their own, those of their teams' members, and those of the tenant. */
export async function visibleTo(tx: Tx, caller: Caller) {
  const ownerId = actingUserId(caller);
  const teamIds = caller.teamIds ?? [];
  const members = teamIds.length
    ? await tx.sql<{ id: number }>`
        SELECT DISTINCT user_id AS id FROM team_member WHERE team_id = ANY(${[...teamIds]}::bigint[])`
    : [];
  return {
    viewEnvironment: caller.environment,
    OR: [
      { visibility: 'tenant' },
      ...(ownerId === undefined ? [] : [{ ownerId }]),
      ...(members.length ? [{ visibility: 'team', ownerId: { in: members.map(({ id }) => id) } }] : []),
    ],
  };
}

/** Loads a view that the caller sees, for a resource that the caller may read; 404 if there is none. */
export async function readView(tx: Tx, id: number, caller: Caller): Promise<ViewRow> {
  const row = await tx.view.findFirst({ where: { id, ...(await visibleTo(tx, caller)) } });
  if (!row || !readableResources(caller.permissions).includes(row.resource)) throw fail('not_found');
  return row;
}

/** Like `readView`, with a row lock; 403 if the caller may not change the view. */
export async function lockView(tx: Tx, id: number, caller: Caller): Promise<ViewRow> {
  await tx.view.lockFirst({ where: { id } });
  const row = await readView(tx, id, caller);
  const isOwner = row.ownerId === viewerOf(caller);
  if (!isOwner && !(row.visibility === 'tenant' && managesConfig(caller))) throw fail('forbidden');
  return row;
}

/** Making a view visible to the whole tenant requires the permission to manage the configuration. */
export function checkVisibility(visibility: string | undefined, caller: Caller): void {
  if (visibility !== 'tenant' || managesConfig(caller)) return;
  throw fail('forbidden', [{ field: 'visibility', message: 'tenant requires the permission config:manage' }]);
}

function managesConfig({ permissions }: Caller): boolean {
  return allows(permissions, 'config:manage') === 'all';
}
