import { type assignmentRules, assignmentRuleUpdated } from '@tandem/crm-contract';
import { diff, fail } from '@tandem/service';
import type { Handler, Peers } from '../../handler.ts';
import { asRule, checkReferences, checkRule, lockAssignment } from './assignment-rule.ts';

export const updateAssignmentRule = (peers: Peers): Handler<typeof assignmentRules.updateAssignmentRule> => ({
  check: ({ body, caller }) => checkReferences(peers, body, caller),
  async run({ params, body, tx, emit, ifMatch }) {
    await lockAssignment(tx);
    const row = await tx.assignmentRule.lockFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    const rule = asRule(row);
    ifMatch(rule);
    const { match, userIds, ...fields } = body;
    const { isEmpty, values, audit } = diff(rule, {
      ...fields,
      match: match?.map((condition) => ({ ...condition, value: condition.value ?? null })),
      userIds: userIds && [...new Set(userIds)],
    });
    if (isEmpty) return rule;
    checkRule({ ...rule, ...values });
    const [written] = await tx.assignmentRule.updateManyAndReturn({
      where: { id: rule.id },
      data: { ...values, version: { increment: 1 } },
    });
    if (!written) throw fail('not_found');
    const updated = asRule(written);
    emit(assignmentRuleUpdated, { data: { assignmentRuleId: rule.id }, record: updated, changes: audit });
    return updated;
  },
});
