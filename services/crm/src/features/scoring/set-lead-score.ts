import { actingUserId } from '@tandem/caller';
import type { leadScores } from '@tandem/crm-contract';
import { fail, failField } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { lockLead } from '../leads/lead.ts';
import { calculateScore } from './rescore.ts';
import { readScore, writeScore } from './write-score.ts';

export const setLeadScore: Handler<typeof leadScores.setLeadScore> = async ({
  params,
  body,
  caller,
  tx,
  emit,
  ifMatch,
}) => {
  const { score = null, pinned, reason = null } = body;
  const lead = await lockLead(tx, params.id);
  ifMatch(lead);
  if (score === null && pinned === undefined) throw failField('score', 'Send a score, or pinned');
  if (score !== null && pinned === false)
    throw failField('pinned', 'A score that you send is pinned; omit pinned, or omit score to release it');
  const calculated = pinned === false ? await calculateScore(tx, lead) : undefined;
  await writeScore({ tx, emit }, lead, {
    score: score ?? calculated?.score ?? lead.score,
    scorePinned: pinned !== false,
    components: calculated?.components ?? [],
    cause: pinned === false ? 'recalculated' : 'manual',
    reason,
    byUserId: actingUserId(caller) ?? null,
  });
  const written = await readScore(tx, lead.id);
  if (!written) throw fail('not_found');
  return written;
};
