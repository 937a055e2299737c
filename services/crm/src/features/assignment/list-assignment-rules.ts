import type { assignmentRules } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { asRule } from './assignment-rule.ts';

export const listAssignmentRules: Handler<typeof assignmentRules.listAssignmentRules> = async ({ query, tx, list }) => {
  const { active } = query;
  const page = await list({ model: tx.assignmentRule, where: { ...(active !== undefined && { active }) } });
  return { ...page, items: page.items.map(asRule) };
};
