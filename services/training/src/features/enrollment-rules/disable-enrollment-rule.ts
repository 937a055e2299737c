import { type enrollmentRules, enrollmentRuleUpdated } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { asRule, dataOf, lockRule, writeRule } from './enrollment-rule.ts';

export const disableEnrollmentRule: Handler<typeof enrollmentRules.disableEnrollmentRule> = async (context) => {
  const { params, tx, emit, ifMatch } = context;
  const before = asRule(await lockRule(tx, params.id));
  ifMatch(before);

  if (!before.active) return before;
  const rule = await writeRule(tx, before.id, { active: false });
  emit(enrollmentRuleUpdated, {
    data: dataOf(rule),
    record: rule,
    changes: { active: { from: before.active, to: false } },
  });
  return rule;
};
