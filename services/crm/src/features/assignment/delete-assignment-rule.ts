import { assignmentRuleDeleted, type assignmentRules } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asRule, lockAssignment } from './assignment-rule.ts';

export const deleteAssignmentRule: Handler<typeof assignmentRules.deleteAssignmentRule> = async ({
  params,
  tx,
  emit,
  ifMatch,
}) => {
  await lockAssignment(tx);
  const row = await tx.assignmentRule.lockFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  const rule = asRule(row);
  ifMatch(rule);
  await tx.assignmentRule.deleteMany({ where: { id: rule.id } });
  emit(assignmentRuleDeleted, { data: { assignmentRuleId: rule.id }, record: rule });
  return { id: rule.id, deleted: true };
};
