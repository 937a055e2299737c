import { fail } from '@tandem/service';
import { type enrollmentRules, enrollmentRuleUpdated } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { rejectMember } from '../progress/teacher.ts';
import { asRule, dataOf, lockRule, reenrols, writeRule } from './enrollment-rule.ts';
import { applyToExistingJob } from './rule-jobs.ts';

export const enableEnrollmentRule: Handler<typeof enrollmentRules.enableEnrollmentRule> = async (context) => {
  const { params, body, caller, schedule, tx, emit, ifMatch } = context;
  const row = await lockRule(tx, params.id);
  const before = asRule(row);
  ifMatch(before);
  if (before.reenroll) rejectMember(caller, 'id', reenrols);
  if (row.conditionsLost) throw fail('conditions_lost', [{ field: 'id', message: 'Would enrol every user' }]);
  if (body.applyToExisting) await schedule(applyToExistingJob, [{ ruleId: before.id, after: null }]);
  if (before.active) return before;
  const rule = await writeRule(tx, before.id, { active: true });
  emit(enrollmentRuleUpdated, {
    data: dataOf(rule),
    record: rule,
    changes: { active: { from: before.active, to: true } },
  });
  return rule;
};
