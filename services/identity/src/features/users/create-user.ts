import { userCreated, type users } from '@tandem/identity-contract';
import { hashPassword } from '@tandem/passwords';
import { isTaken } from '@tandem/tenant-db';
import type { Handler, Tools } from '../../handler.ts';
import { checkManagesUsers, checkMayAssign } from '../../permissions.ts';
import { readTeamIds } from '../teams/members.ts';
import { checkTeamReach } from '../teams/reach.ts';
import { setTeams } from '../teams/set-teams.ts';
import { checkManager, lockReporting } from './manager.ts';
import { asUser, emailLookupRow, emailTaken, roleOfNewUser } from './user.ts';

export const createUser = (tools: Tools): Handler<typeof users.createUser, string> => ({
  check: ({ body }) => hashPassword(body.password),
  async run({ body, caller, tx, emit, found: passwordHash }) {
    const { password, roleId, phone = null, managerId = null, teamIds: requestedTeamIds, ...person } = body;
    if (managerId) await lockReporting(tx);
    const teamIds = (await readTeamIds(tx, requestedTeamIds)) ?? [];
    if (roleId !== undefined) checkManagesUsers(caller, 'roleId');
    const role = await roleOfNewUser(tx, roleId);
    checkMayAssign(caller, role.permissions);
    await checkTeamReach(tx, caller, teamIds);
    await checkManager(tx, managerId);
    const row = await tx.user
      .create({ data: { ...person, phone, managerId, passwordHash, roleId: role.id } })
      .catch((error: unknown) => {
        throw isTaken(error) ? emailTaken() : error;
      });
    const user = asUser(row, teamIds);
    await tx.emailLookup.create({
      data: emailLookupRow({ email: user.email, ownerTenantId: user.tenantId, isProven: false }, tools.pepper),
    });
    emit(userCreated, { data: { userId: user.id, roleId: role.id }, record: user });
    await setTeams(tx, emit, { userId: user.id, before: [], after: teamIds });
    return user;
  },
});
