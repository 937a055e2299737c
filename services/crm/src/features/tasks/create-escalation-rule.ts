import { actingUserId } from '@tandem/caller';
import { escalationRuleCreated, escalationRulesMax, type escalations } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler, Peers } from '../../handler.ts';
import { applyRuleJob } from './apply-rule.ts';
import { checkRuleTarget, lockRules, ruleColumnsOf } from './check-rule.ts';
import { asRule } from './escalation.ts';

export const createEscalationRule = (peers: Peers): Handler<typeof escalations.createEscalationRule> => ({
  check: ({ body, caller }) => checkRuleTarget(peers, body, caller),
  async run({ body, caller, tx, emit, schedule }) {
    await lockRules(tx);
    if ((await tx.escalationRule.count()) >= escalationRulesMax) throw fail('too_many_rules');
    const { match, target, ...fields } = body;
    const row = await tx.escalationRule.create({
      data: { ...fields, ...ruleColumnsOf({ match, target }), createdBy: actingUserId(caller) ?? null },
    });
    const rule = asRule(row);
    emit(escalationRuleCreated, { data: { ruleId: rule.id }, record: rule });
    if (rule.active) await schedule(applyRuleJob, [{ ruleId: rule.id, round: rule.round }]);
    return rule;
  },
});
