import type { teams } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { asTeam, readTeam } from './team.ts';

export const getTeam: Handler<typeof teams.getTeam> = async ({ params, tx }) =>
  asTeam(tx, await readTeam(tx, params.id));
