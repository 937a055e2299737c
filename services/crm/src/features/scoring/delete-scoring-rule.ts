import { scoringRuleDeleted, type scoringRules } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asRule } from './scoring-rule.ts';
import { lockState, startRecount } from './scoring-state.ts';

export const deleteScoringRule: Handler<typeof scoringRules.deleteScoringRule> = async ({
  params,
  caller,
  tx,
  emit,
  schedule,
  ifMatch,
}) => {
  const state = await lockState(tx);
  const row = await tx.scoringRule.lockFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  const rule = asRule(row);
  ifMatch(rule);
  await tx.scoringRule.deleteMany({ where: { id: rule.id } });
  emit(scoringRuleDeleted, { data: { scoringRuleId: rule.id }, record: rule });
  const recountJobId = rule.active ? await startRecount({ tx, schedule, caller }, state) : null;
  return { id: rule.id, deleted: true, recountJobId };
};
