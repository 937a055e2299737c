import type { assignmentRules } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asRule } from './assignment-rule.ts';

export const getAssignmentRule: Handler<typeof assignmentRules.getAssignmentRule> = async ({ params, tx }) => {
  const row = await tx.assignmentRule.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  return asRule(row);
};
