import { DateFormat, type internalUsers, UserStatus } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import { type Handler, nameOf } from '../../handler.ts';
import { teamIdsOf } from '../teams/members.ts';

export const findUser: Handler<typeof internalUsers.findUser> = async ({ params, caller, tx }) => {
  // Without a tenant, the tenant guard would reject the query as an internal error.
  const row = caller.tenantId === undefined ? null : await tx.user.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  const teams = await teamIdsOf(tx, [row.id]);
  const teamIds = teams.get(row.id) ?? [];
  const own = await tx.userPreference.findFirst({
    where: { userId: row.id },
    select: { defaultCurrency: true, dateFormat: true },
  });
  const { id, successorId, roleId } = row;
  const status = UserStatus.parse(row.status);
  const { defaultCurrency = null, dateFormat = null } = { ...own };
  return {
    id,
    status,
    name: nameOf(row),
    teamIds,
    successorId,
    defaultCurrency,
    dateFormat: DateFormat.nullable().catch(null).parse(dateFormat),
    roleId,
  };
};
