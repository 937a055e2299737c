import type { Pepper } from '@tandem/api-keys';
import type { Caller } from '@tandem/caller';
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
  emailLookupRow,
  lockUser,
  type UserStatus,
  visibleTo,
} from './user.ts';

export const updateUser =
  (tools: Tools): Handler<typeof users.updateUser> =>
  async ({ params, body, caller, tx, emit, ifMatch, afterCommit }) => {
    const onlyUserId = visibleTo(caller, 'users:write').id;
    if (onlyUserId !== undefined && onlyUserId !== params.id) throw fail('not_found');
    const user = await lockUser(tx, params);
    ifMatch(user);
    const before = (await teamIdsOf(tx, [user.id])).get(user.id) ?? [];
    const changesOwnRecordOnly = onlyUserId !== undefined;
    if (changesOwnRecordOnly) checkTeamsUnchanged(before, body.teamIds);
    const wantedTeams = changesOwnRecordOnly ? undefined : await readTeamIds(tx, body.teamIds);
    const { isEmpty, values, audit } = diff({ ...user, teamIds: before }, { ...body, teamIds: wantedTeams });
    if (isEmpty) return asUser(user, before);
    await checkPolicies({ tx, caller, user }, values);

    const { teamIds, ...columns } = values;
    if (teamIds) await setTeams(tx, emit, { userId: user.id, before, after: teamIds });
    const updated = asUser(await write(tx, user.id, columns), teamIds ?? before);
    if (values.email !== undefined)
      await moveAddress(tx, { tenantId: user.tenantId, from: user.email, to: values.email }, tools.pepper);
    emit(userUpdated, {
      data: { userId: user.id, fields: Object.keys(values), status: updated.status },
      record: updated,
      changes: audit,
    });
    const endReason = endReasonOf(values.status);
    if (endReason) await endSessions(tx, emit, { where: { userId: user.id }, reason: endReason });
    if (endReason && user.status === 'active') await notifyOfKeys(tx, emit, updated);
    // Gateways cache the access of credentials, which depends on the status, role and teams of the user.
    if (values.status !== undefined || values.roleId !== undefined || teamIds)
      afterCommit(() => tools.invalidateCredentials({ tenantId: user.tenantId, userIds: [user.id] }));
    return updated;
  };

/** Users must not add themselves to teams, which would give them access to the records of every team. */
function checkTeamsUnchanged(before: number[], wanted: number[] | undefined): void {
  if (wanted && new Set(before).symmetricDifference(new Set(wanted)).size) throw fail('forbidden');
}

interface UpdateContext {
  tx: Tx;
  caller: Caller;
  user: Awaited<ReturnType<typeof lockUser>>;
}

interface ChangedFields {
  email?: string;
  roleId?: number;
  status?: UserStatus;
}

/** Checks that the caller may make these changes. Rank comes first: its 403 must not reveal the user's state. */
async function checkPolicies(
  { tx, caller, user }: UpdateContext,
  { email, roleId, status }: ChangedFields,
): Promise<void> {
  // The e-mail address is the login name, so changing it allows taking over the account.
  if (email !== undefined || status !== undefined || roleId !== undefined) checkRank(caller, user.role.permissions);
  if (roleId !== undefined) checkRank(caller, (await assignableRole(tx, roleId)).permissions);
  if (status !== undefined) checkTransition(user.status, status);
  if (roleId !== undefined || endReasonOf(status)) await checkOwnerRemains(tx, user);
  if (roleId !== undefined) checkNotOwnRole(caller, user.id);
}

/** Reason to end the user's sessions on a change to this status; undefined if they continue. */
function endReasonOf(status: UserStatus | undefined) {
  return status === 'active' ? undefined : status;
}

async function write(tx: Tx, id: number, values: object) {
  const [row] = await tx.user
    .updateManyAndReturn({ where: { id }, data: { ...values, version: { increment: 1 } } })
    .catch((error: unknown) => {
      throw isTaken(error)
        ? fail('email_taken', [{ field: 'email', message: 'Must be unique; another user has this e-mail address' }])
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
  await tx.emailLookup.create({ data: emailLookupRow(to, tenantId, pepper) });
}
