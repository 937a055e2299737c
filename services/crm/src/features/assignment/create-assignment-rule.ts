import { actingUserId } from '@tandem/caller';
import { assignmentRuleCreated, type assignmentRules, assignmentRulesMax } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler, Peers, Tx } from '../../handler.ts';
import { asRule, checkReferences, checkRule, lockAssignment } from './assignment-rule.ts';

const orderMax = 10_000;

export const createAssignmentRule = (peers: Peers): Handler<typeof assignmentRules.createAssignmentRule> => ({
  check: ({ body, caller }) => checkReferences(peers, body, caller),
  async run({ body, caller, tx, emit }) {
    const { match = [], teamId = null, userIds = [], weights = [], capacity = null, order, ...fields } = body;
    const rule = {
      ...fields,
      match: match.map((condition) => ({ ...condition, value: condition.value ?? null })),
      teamId,
      userIds: [...new Set(userIds)],
      weights,
      capacity,
    };
    checkRule(rule);
    await lockAssignment(tx);
    if ((await tx.assignmentRule.count()) >= assignmentRulesMax) throw fail('too_many_rules');
    const row = await tx.assignmentRule.create({
      data: { ...rule, order: order ?? (await nextOrder(tx)), createdBy: actingUserId(caller) ?? null },
    });
    const created = asRule(row);
    emit(assignmentRuleCreated, { data: { assignmentRuleId: created.id }, record: created });
    return created;
  },
});

async function nextOrder(tx: Tx): Promise<number> {
  const last = await tx.assignmentRule.findFirst({
    orderBy: [{ order: 'desc' }, { id: 'desc' }],
    select: { order: true },
  });
  return last ? Math.min(last.order + 1, orderMax) : 0;
}
