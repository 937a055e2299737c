import { recipientsMax } from '@tandem/identity-contract';
import { fail, failField } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { checkKnown } from '../teams/members.ts';

interface Targets {
  userIds: readonly number[];
  teamIds: readonly number[];
  roleIds: readonly number[];
}

/**
 * Resolves targets to distinct users. Skips inactive members of teams and roles; rejects inactive users named by id.
 */
export async function findRecipients(tx: Tx, targets: Targets): Promise<number[]> {
  const { userIds, teamIds, roleIds } = targets;
  if (!userIds.length && !teamIds.length && !roleIds.length)
    throw fail('validation_failed', [
      { field: 'userIds', message: 'Must contain at least one id, unless teamIds or roleIds does' },
    ]);
  await checkTargets(tx, targets);
  const rows = await tx.sql<{ id: number }>`
    SELECT id FROM "user" WHERE status = 'active' AND (id = ANY(${userIds}::bigint[]) OR role_id = ANY(${roleIds}::bigint[])
      OR id IN (SELECT user_id FROM team_member WHERE team_id = ANY(${teamIds}::bigint[])))
    ORDER BY id LIMIT ${recipientsMax + 1}::int`;
  if (rows.length > recipientsMax) {
    const field = teamIds.length ? 'teamIds' : 'roleIds';
    throw failField(field, `userIds, teamIds and roleIds together must not exceed ${recipientsMax} recipients`);
  }
  return rows.map(({ id }) => id);
}

async function checkTargets(tx: Tx, { userIds, teamIds, roleIds }: Targets): Promise<void> {
  if (userIds.length) {
    const users = await tx.user.findMany({
      where: { id: { in: [...userIds] }, status: 'active' },
      select: { id: true },
    });
    checkKnown(idsOf(users), userIds, { field: 'userIds', type: 'user' });
  }
  if (teamIds.length) {
    const teams = await tx.team.findMany({ where: { id: { in: [...teamIds] } }, select: { id: true } });
    checkKnown(idsOf(teams), teamIds, { field: 'teamIds', type: 'team' });
  }
  if (roleIds.length) {
    const roles = await tx.role.findMany({ where: { id: { in: [...roleIds] } }, select: { id: true } });
    checkKnown(idsOf(roles), roleIds, { field: 'roleIds', type: 'role' });
  }
}

function idsOf(rows: { id: number }[]): Set<number> {
  return new Set(rows.map(({ id }) => id));
}
