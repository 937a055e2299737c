import type { teams } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { asTeams } from './team.ts';

export const listTeams: Handler<typeof teams.listTeams> = async ({ query, tx, list }) => {
  const { parentTeamId, leadId } = query;
  const page = await list({
    model: tx.team,
    where: { ...(parentTeamId !== undefined && { parentTeamId }), ...(leadId !== undefined && { leadId }) },
    searchIn: ['name', 'description'],
  });
  return { ...page, items: await asTeams(tx, page.items) };
};
