import { assigneesMax, type internalAssignees } from '@tandem/identity-contract';
import { type Handler, nameOf } from '../../handler.ts';
import { teamIdsOf } from '../teams/members.ts';

export const findAssignees: Handler<typeof internalAssignees.findAssignees> = async ({ body, caller, tx }) => {
  // Without a tenant, the tenant guard would reject the query as an internal error.
  if (caller.tenantId === undefined) return [];
  const users = await tx.user.findMany({
    where: {
      status: 'active',
      OR: [
        { id: { in: body.userIds } },
        { teams: { some: { teamId: { in: body.teamIds } } } },
        { email: { in: (body.emails ?? []).map((email) => email.toLowerCase()) } },
      ],
    },
    select: { id: true, email: true, firstName: true, lastName: true, roleId: true },
    orderBy: { id: 'asc' },
    take: assigneesMax,
  });
  const teams = await teamIdsOf(
    tx,
    users.map(({ id }) => id),
  );
  return users.map((user) => ({
    id: user.id,
    email: user.email,
    name: nameOf(user),
    roleId: user.roleId,
    teamIds: teams.get(user.id) ?? [],
  }));
};
