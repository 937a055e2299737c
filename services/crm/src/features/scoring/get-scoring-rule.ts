import type { scoringRules } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asRule } from './scoring-rule.ts';

export const getScoringRule: Handler<typeof scoringRules.getScoringRule> = async ({ params, tx }) => {
  const row = await tx.scoringRule.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  return asRule(row);
};
