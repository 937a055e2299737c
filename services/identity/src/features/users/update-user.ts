import type { Pepper } from '@tandem/api-keys';
import { type users, userUpdated } from '@tandem/identity-contract';
import { diff, fail } from '@tandem/service';
import { isTaken } from '@tandem/tenant-db';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { checkRank } from '../../permissions.ts';
import { endSessions } from '../auth/session.ts';
import { readTeamIds, setTeams, teamIdsOf } from '../teams/members.ts';
import { notifyOfKeys } from './notify-of-keys.ts';
import {
  assignableRole,
  asUser,
  checkNotOwnRole,
  checkOwnerRemains,
  checkTransition,
  emailHashes,
  emailPlace,
  lockUser,
  visibleTo,
} from './user.ts';

export const updateUser =
  (tools: Tools): Handler<typeof users.updateUser> =>
  async ({ params, body, caller, tx, emit, ifMatch, afterCommit }) => {
    const me = visibleTo(caller, 'users:write').id;
    if (me !== undefined && me !== params.id) throw fail('not_found');
    const user = await lockUser(tx, params);
    ifMatch(user);
    const before = (await teamIdsOf(tx, [user.id])).get(user.id) ?? [];
    // Whoever could join any team by themselves would reach the records of all.
    if (me !== undefined && body.teamIds && new Set(before).symmetricDifference(new Set(body.teamIds)).size)
      throw fail('forbidden');
    const given = { ...body, teamIds: me === undefined ? await readTeamIds(tx, body.teamIds) : undefined };
    const { isEmpty, values, audit } = diff({ ...user, teamIds: before }, given);
    if (isEmpty) return asUser(user, before);
    const { teamIds, ...columns } = values;
    const { email, roleId, status } = values;

    // An address is what one signs in with: it goes with power over the person.
    if (email !== undefined || status !== undefined || roleId !== undefined) checkRank(caller, user.role.permissions);
    if (roleId !== undefined) {
      checkRank(caller, (await assignableRole(tx, roleId)).permissions);
    }
    if (status !== undefined) checkTransition(user.status, status);
    const endsAs = status === 'active' ? undefined : status;
    if (roleId !== undefined || endsAs) await checkOwnerRemains(tx, user);
    if (roleId !== undefined) checkNotOwnRole(caller, user.id);

    if (teamIds) await setTeams(tx, emit, { userId: user.id, before, after: teamIds });
    const updated = asUser(await write(tx, user.id, columns), teamIds ?? before);
    if (email !== undefined)
      await moveAddress(tx, { tenantId: user.tenantId, from: user.email, to: email }, tools.pepper);
    emit(userUpdated, {
      data: { userId: user.id, fields: Object.keys(values), status: updated.status },
      record: updated,
      changes: audit,
    });
    if (endsAs) await endSessions(tx, emit, { where: { userId: user.id }, reason: endsAs });
    if (endsAs && user.status === 'active') await notifyOfKeys(tx, emit, updated);
    // Keys of this user may stand on role and teams, and sessions on the status.
    if (status !== undefined || roleId !== undefined || teamIds)
      afterCommit(() => tools.news({ tenantId: user.tenantId, userIds: [user.id] }));
    return updated;
  };

async function write(tx: Tx, id: number, values: object) {
  const [row] = await tx.user
    .updateManyAndReturn({ where: { id }, data: { ...values, version: { increment: 1 } } })
    .catch((error: unknown) => {
      throw isTaken(error)
        ? fail('email_taken', [{ field: 'email', message: 'Another user has this address' }])
        : error;
    });
  if (!row) throw fail('not_found');
  return row;
}

async function moveAddress(
  tx: Tx,
  { tenantId, from, to }: { tenantId: number; from: string; to: string },
  pepper: Pepper,
): Promise<void> {
  await tx.emailLookup.deleteMany({ where: { emailHash: { in: emailHashes(from, pepper) }, ownerTenantId: tenantId } });
  await tx.emailLookup.create({ data: emailPlace(to, tenantId, pepper) });
}
