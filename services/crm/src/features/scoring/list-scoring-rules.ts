import type { scoringRules } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { asRule } from './scoring-rule.ts';

export const listScoringRules: Handler<typeof scoringRules.listScoringRules> = async ({ query, tx, list }) => {
  const { group, active } = query;
  const where = { ...(group && { group }), ...(active !== undefined && { active }) };
  const page = await list({ model: tx.scoringRule, where });
  return { ...page, items: page.items.map(asRule) };
};
