import { actingUserId, type Caller } from '@tandem/caller';
import type { OpenWork } from '@tandem/contract';
import type { Emit } from '@tandem/events';
import { type users, userUpdated } from '@tandem/identity-contract';
import { diff, fail, failField } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { checkManagesUsers, checkMayAssign, checkRank } from '../../permissions.ts';
import { announceAddress } from '../account/verification.ts';
import { readTeamIds, teamIdsOf } from '../teams/members.ts';
import { checkAccountReach, checkTeamReach } from '../teams/reach.ts';
import { setTeams } from '../teams/set-teams.ts';
import { applyStatusChange, checkStatusChange, isLeaving, openWorkOf } from './change-status.ts';
import { checkManager, lockReporting, lockWithReports } from './manager.ts';
import {
  assignableRole,
  asUser,
  checkNotOwnRole,
  checkOwnerRemains,
  lockUser,
  moveAddress,
  type UserRecord,
  visibleTo,
  writeUser,
} from './user.ts';

export const updateUser = (tools: Tools): Handler<typeof users.updateUser, OpenWork | undefined> => ({
  async check({ params, body, caller }) {
    return isLeaving(body.status) ? openWorkOf(tools, caller, { userId: params.id }) : undefined;
  },
  async run({ params, body, caller, tx, emit, schedule, ifMatch, afterCommit, found: work }) {
    const onlyUserId = visibleTo(caller, 'users:write').id;
    if (onlyUserId !== undefined && onlyUserId !== params.id) throw fail('not_found');
    if (body.managerId || isLeaving(body.status)) await lockReporting(tx);
    if (isLeaving(body.status)) await lockWithReports(tx, params.id);
    const user = await lockUser(tx, params);
    ifMatch(user);
    const before = (await teamIdsOf(tx, [user.id])).get(user.id) ?? [];
    const changesOwnRecordOnly = onlyUserId !== undefined;
    if (changesOwnRecordOnly) checkTeamsUnchanged(before, body.teamIds);
    if (changesOwnRecordOnly && body.managerId !== undefined && body.managerId !== user.managerId)
      throw fail('forbidden', [{ field: 'managerId', message: 'Requires the permission users:write for all users' }]);
    const wantedTeams = changesOwnRecordOnly ? undefined : await readTeamIds(tx, body.teamIds);
    const { isEmpty, values, audit } = diff({ ...user, teamIds: before }, { ...body, teamIds: wantedTeams });
    if (isEmpty) return asUser(user, before);
    await checkPolicies({ tx, caller, user }, values);
    if (values.status !== undefined) await checkStatusChange({ tx, caller, user }, values.status, work);

    await checkManager(tx, values.managerId, user.id);

    const { teamIds, ...columns } = values;
    if (teamIds) await checkTeamReach(tx, caller, [...new Set(teamIds).symmetricDifference(new Set(before))]);
    if (teamIds) await setTeams(tx, emit, { caller, userId: user.id, before, after: teamIds });
    const updated = asUser(
      await writeUser(tx, user.id, {
        ...columns,
        ...(columns.status === 'active' && { successorId: null }),
        ...(columns.email !== undefined && { emailVerifiedAt: null }),
      }),
      teamIds ?? before,
    );
    if (values.email !== undefined) {
      await moveAddress(
        tx,
        { tenantId: user.tenantId, from: user.email, to: values.email, isProven: false },
        tools.pepper,
      );
      await announceAddress({ tx, schedule }, { from: user.email, user: updated }, tools);
    }
    emitUpdate(emit, updated, audit);
    if (values.status !== undefined)
      await applyStatusChange({ tx, emit }, { before: user, updated, successor: undefined }, { status: values.status });
    // Gateways cache the access of credentials, which depends on the status, role and teams of the user.
    if (values.status !== undefined || values.roleId !== undefined || teamIds)
      afterCommit(() => tools.invalidateCredentials({ tenantId: user.tenantId, userIds: [user.id] }));
    return updated;
  },
});

/** The event of all changed fields but the status, which has an event of its own. */
function emitUpdate(
  emit: Emit<typeof userUpdated>,
  user: UserRecord,
  { status, ...changes }: Record<string, { from: unknown; to: unknown }>,
): void {
  const fields = Object.keys(changes);
  if (fields.length)
    emit(userUpdated, { data: { userId: user.id, fields, status: user.status }, record: user, changes });
}

/** Users must not add themselves to teams, which would give them access to the records of every team. */
function checkTeamsUnchanged(before: number[], wanted: number[] | undefined): void {
  if (wanted && new Set(before).symmetricDifference(new Set(wanted)).size)
    throw fail('forbidden', [{ field: 'teamIds', message: 'Requires the permission users:write for all users' }]);
}

interface UpdateContext {
  tx: Tx;
  caller: Caller;
  user: Awaited<ReturnType<typeof lockUser>>;
}

/** Checks that the caller may change these fields. Rank comes first: its 403 must not reveal the user's state. */
async function checkPolicies(
  { tx, caller, user }: UpdateContext,
  { email, roleId }: { email?: string; roleId?: number },
): Promise<void> {
  // The e-mail address is the login name, so changing it allows taking over the account. Of one's own, a session or key is
  // not enough.
  if (email !== undefined && (user.id === actingUserId(caller) || user.id === caller.userId))
    throw failField('email', 'Is your own address; change it with POST /v1/users/me/email, which proves the new one');
  if (email !== undefined) checkManagesUsers(caller, 'email');
  if (roleId !== undefined) checkManagesUsers(caller, 'roleId');
  if (email !== undefined || roleId !== undefined) checkRank(caller, user.role.permissions);
  if (email !== undefined) await checkAccountReach(tx, caller, user.id);
  if (roleId === undefined) return;
  checkMayAssign(caller, (await assignableRole(tx, roleId)).permissions);
  await checkOwnerRemains(tx, user);
  checkNotOwnRole(caller, user.id);
}
