import type { teams } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { asTeams } from './team.ts';

export const listTeams: Handler<typeof teams.listTeams> = async ({ tx, list }) => {
  const page = await list({ model: tx.team, searchIn: ['name', 'description'] });
  return { ...page, items: await asTeams(tx, page.items) };
};
