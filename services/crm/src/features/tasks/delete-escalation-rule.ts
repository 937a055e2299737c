import { escalationRuleDeleted, type escalations } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asRule } from './escalation.ts';

export const deleteEscalationRule: Handler<typeof escalations.deleteEscalationRule> = async ({
  params,
  tx,
  emit,
  ifMatch,
}) => {
  const row = await tx.escalationRule.lockFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  const rule = asRule(row);
  ifMatch(rule);
  await tx.escalationRule.deleteMany({ where: { id: rule.id } });
  emit(escalationRuleDeleted, { data: { ruleId: rule.id }, record: rule });
  return { id: rule.id, deleted: true };
};
