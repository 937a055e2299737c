import { enrollmentRuleDeleted, type enrollmentRules } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { asRule, dataOf, lockRule } from './enrollment-rule.ts';
import { removeOutcomesJob } from './rule-jobs.ts';

export const deleteEnrollmentRule: Handler<typeof enrollmentRules.deleteEnrollmentRule> = async (context) => {
  const { params, tx, emit, schedule, ifMatch } = context;
  const rule = asRule(await lockRule(tx, params.id));
  ifMatch(rule);
  await tx.enrollmentRule.deleteMany({ where: { id: rule.id } });
  await schedule(removeOutcomesJob, [{ ruleId: rule.id }]);
  emit(enrollmentRuleDeleted, { data: dataOf(rule), record: rule });
  return { id: rule.id, deleted: true };
};
