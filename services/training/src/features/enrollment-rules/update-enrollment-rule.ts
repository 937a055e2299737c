import { diff } from '@tandem/service';
import { type enrollmentRules, enrollmentRuleUpdated } from '@tandem/training-contract';
import type { Handler, Tools } from '../../handler.ts';
import { rejectMember } from '../progress/teacher.ts';
import { checkFit, checkKnown, storedConditions } from './check-rule.ts';
import { asRule, dataOf, lockRule, reenrols, writeRule } from './enrollment-rule.ts';

export const updateEnrollmentRule = ({
  peers,
}: Pick<Tools, 'peers'>): Handler<typeof enrollmentRules.updateEnrollmentRule> => ({
  check: ({ body, caller }) => checkKnown(peers, caller, body),
  async run({ params, body, caller, tx, emit, ifMatch }) {
    const row = await lockRule(tx, params.id);
    const before = asRule(row);
    ifMatch(before);
    const { leadConditions, ...fields } = body;
    const { isEmpty, values, audit } = diff(before, { ...fields, leadConditions: storedConditions(leadConditions) });
    // A request with a list, also an empty one, decides which users the rule enrols.
    const isDecided = row.conditionsLost && (body.roleIds !== undefined || body.teamIds !== undefined);
    if (isEmpty && !isDecided) return before;
    // Also a change of whom such a rule enrols.
    if (values.reenroll ?? before.reenroll) rejectMember(caller, 'reenroll', reenrols);
    checkFit(before.learnerType, { ...before, ...values });
    const { leadConditions: conditions, ...changed } = values;
    const rule = await writeRule(tx, before.id, {
      ...changed,
      ...(isDecided && { conditionsLost: false }),
      ...(conditions && { leadConditions: conditions as object[] as never }),
    });
    emit(enrollmentRuleUpdated, { data: dataOf(rule), record: rule, changes: audit });
    return rule;
  },
});
