import { actingUserId } from '@tandem/caller';
import { unknownId } from '@tandem/contract';
import { fail, failField } from '@tandem/service';
import { enrollmentRuleCreated, type enrollmentRules, enrollmentRulesMax } from '@tandem/training-contract';
import type { Handler, Tools } from '../../handler.ts';
import { rejectMember } from '../progress/teacher.ts';
import { checkFit, checkKnown, storedConditions } from './check-rule.ts';
import { asRule, dataOf, reenrols } from './enrollment-rule.ts';
import { applyToExistingJob } from './rule-jobs.ts';

export const createEnrollmentRule = ({
  peers,
}: Pick<Tools, 'peers'>): Handler<typeof enrollmentRules.createEnrollmentRule> => ({
  async check({ body, caller }) {
    checkFit(body.learnerType, body);
    await checkKnown(peers, caller, body);
  },
  async run({ body, caller, tx, emit, schedule }) {
    const { leadConditions, applyToExisting = false, ...fields } = body;
    if (body.reenroll) rejectMember(caller, 'reenroll', reenrols);
    const course = await tx.course.lockFirst({ where: { id: body.courseId, deletedAt: null }, sharesKey: true });
    if (!course) throw failField('courseId', unknownId('course'));
    if ((await tx.enrollmentRule.count({})) >= enrollmentRulesMax) throw fail('too_many_rules');
    const row = await tx.enrollmentRule.create({
      data: {
        ...fields,
        leadConditions: storedConditions(leadConditions ?? []) as object[] as never,
        createdBy: actingUserId(caller) ?? null,
      },
    });
    if (row.active && applyToExisting) await schedule(applyToExistingJob, [{ ruleId: row.id, after: null }]);
    const rule = asRule(row);
    emit(enrollmentRuleCreated, { data: dataOf(rule), record: rule });
    return rule;
  },
});
