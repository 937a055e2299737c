import { unknownId } from '@tandem/contract';
import type { Emit } from '@tandem/events';
import { userUpdated } from '@tandem/identity-contract';
import { fail, failField } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { lockUsers } from '../teams/members.ts';
import { asUsers } from './user.ts';

/**
 * Serializes changes of managers within a tenant: two of them could each be right and form a cycle together, or name a
 * manager who leaves. Called before rows are locked.
 */
export async function lockReporting(tx: Tx): Promise<void> {
  await tx.sql`SELECT pg_advisory_xact_lock(hashtextextended(${'reporting'}, platform.tenant_id()))`;
}

/** Locks users of a tenant, and those who report to the first one, in id order. Called under `lockReporting`. */
export async function lockWithReports(tx: Tx, id: number, others: readonly number[] = []): Promise<Set<number>> {
  const reports = await tx.user.findMany({ where: { managerId: id }, select: { id: true } });
  return lockUsers(tx, [id, ...others, ...reports.map((report) => report.id)]);
}

/**
 * Checks the manager of a user.
 * @param userId the user who gets the manager, under `lockReporting`; undefined for a new one, to whom nobody reports
 * @throws ApiError 422 unless the manager is an active user, 409 for a cycle
 */
export async function checkManager(tx: Tx, managerId: number | null | undefined, userId?: number): Promise<void> {
  if (!managerId) return;
  const manager = await tx.user.findFirst({ where: { id: managerId }, select: { status: true } });
  if (!manager) throw failField('managerId', unknownId('user'));
  if (manager.status !== 'active')
    throw failField('managerId', 'The user is not active; send the id of an active user');
  if (userId !== undefined && (await managersAbove(tx, managerId)).has(userId))
    throw fail('manager_cycle', [{ field: 'managerId', message: 'Reports to this user' }]);
}

/** The user and everybody to whom they report, directly or through others. */
async function managersAbove(tx: Tx, id: number): Promise<Set<number>> {
  const rows = await tx.sql<{ id: number }>`
    WITH RECURSIVE above AS (
      SELECT id, manager_id FROM "user" WHERE id = ${id}
      UNION SELECT other.id, other.manager_id FROM "user" AS other JOIN above ON other.id = above.manager_id)
    SELECT id FROM above`;
  return new Set(rows.map((row) => row.id));
}

/**
 * Gives everybody who reports to a user who leaves to the successor, or to nobody. The successor, and those to whom the
 * successor reports, get the manager of the user who leaves instead: they cannot report to the successor.
 */
export async function moveReports(
  tx: Tx,
  emit: Emit<typeof userUpdated>,
  { from, to }: { from: { id: number; managerId: number | null }; to: number | undefined },
): Promise<void> {
  const above = to === undefined ? new Set<number>() : await managersAbove(tx, to);
  const reports = await tx.user.findMany({ where: { managerId: from.id }, orderBy: { id: 'asc' } });
  for (const { id } of reports) {
    const managerId = above.has(id) ? from.managerId : (to ?? null);
    const rows = await tx.user.updateManyAndReturn({
      where: { id },
      data: { managerId, version: { increment: 1 } },
    });
    for (const record of await asUsers(tx, rows))
      emit(userUpdated, {
        data: { userId: id, fields: ['managerId'], status: record.status },
        record,
        changes: { managerId: { from: from.id, to: managerId } },
      });
  }
}
