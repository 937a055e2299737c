import { userCreated, type users } from '@tandem/identity-contract';
import { hashPassword } from '@tandem/passwords';
import { fail } from '@tandem/service';
import { isTaken } from '@tandem/tenant-db';
import type { Handler, Tools } from '../../handler.ts';
import { checkRank } from '../../permissions.ts';
import { defaultRole } from '../roles/system-roles.ts';
import { readTeamIds, setTeams } from '../teams/members.ts';
import { assignableRole, asUser, emailLookupRow } from './user.ts';

export const createUser = (tools: Tools): Handler<typeof users.createUser, string> => ({
  check: ({ body }) => hashPassword(body.password),
  async run({ body, caller, tx, emit, found: passwordHash }) {
    const { password, roleId, phone = null, teamIds: requestedTeamIds, ...person } = body;
    const teamIds = (await readTeamIds(tx, requestedTeamIds)) ?? [];
    const role =
      roleId === undefined
        ? await tx.role.findFirst({ where: { name: defaultRole, isSystem: true } })
        : await assignableRole(tx, roleId);
    if (!role) throw fail('not_found');
    checkRank(caller, role.permissions);
    const row = await tx.user
      .create({ data: { ...person, phone, passwordHash, roleId: role.id } })
      .catch((error: unknown) => {
        throw isTaken(error)
          ? fail('email_taken', [{ field: 'email', message: 'Must be unique; another user has this e-mail address' }])
          : error;
      });
    const user = asUser(row, teamIds);
    await tx.emailLookup.create({ data: emailLookupRow(user.email, user.tenantId, tools.pepper) });
    emit(userCreated, { data: { userId: user.id, roleId: role.id }, record: user });
    await setTeams(tx, emit, { userId: user.id, before: [], after: teamIds });
    return user;
  },
});
