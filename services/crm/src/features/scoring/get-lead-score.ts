import type { leadScores } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { readScore } from './write-score.ts';

export const getLeadScore: Handler<typeof leadScores.getLeadScore> = async ({ params, tx }) => {
  const score = await readScore(tx, params.id);
  if (!score) throw fail('not_found');
  return score;
};
