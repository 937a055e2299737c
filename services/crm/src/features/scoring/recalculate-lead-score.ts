import { actingUserId } from '@tandem/caller';
import type { leadScores } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { lockLead } from '../leads/lead.ts';
import { calculateScore } from './rescore.ts';
import { readScore, writeScore } from './write-score.ts';

export const recalculateLeadScore: Handler<typeof leadScores.recalculateLeadScore> = async ({
  params,
  caller,
  tx,
  emit,
  ifMatch,
}) => {
  const lead = await lockLead(tx, params.id);
  ifMatch(lead);
  const calculated = lead.scorePinned ? undefined : await calculateScore(tx, lead);
  if (calculated)
    await writeScore({ tx, emit }, lead, {
      ...calculated,
      scorePinned: false,
      cause: 'recalculated',
      byUserId: actingUserId(caller) ?? null,
    });
  const score = await readScore(tx, lead.id);
  if (!score) throw fail('not_found');
  return score;
};
