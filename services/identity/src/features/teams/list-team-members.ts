import type { teams } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { asUsers, visibleTo } from '../users/user.ts';
import { readTeam } from './team.ts';

export const listTeamMembers: Handler<typeof teams.listTeamMembers> = async ({ params, caller, tx, list }) => {
  const { id: teamId } = await readTeam(tx, params.id);
  const page = await list({
    model: tx.user,
    where: { teams: { some: { teamId } }, ...visibleTo(caller, 'users:read') },
    searchIn: ['email', 'firstName', 'lastName'],
  });
  return { ...page, items: await asUsers(tx, page.items) };
};
