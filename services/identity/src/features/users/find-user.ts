import type { internalUsers, userStatuses } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import { type Handler, nameOf } from '../../handler.ts';
import { teamIdsOf } from '../teams/members.ts';

export const findUser: Handler<typeof internalUsers.findUser> = async ({ params, caller, tx }) => {
  // Without a tenant there is nobody to find; the guard would call that a fault of ours.
  const row = caller.tenantId === undefined ? null : await tx.user.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  const teams = await teamIdsOf(tx, [row.id]);
  const teamIds = teams.get(row.id) ?? [];
  return { id: row.id, status: row.status as (typeof userStatuses)[number], name: nameOf(row), teamIds };
};
