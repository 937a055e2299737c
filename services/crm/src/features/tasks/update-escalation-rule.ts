import { escalationRuleUpdated, type escalations } from '@tandem/crm-contract';
import { diff, fail } from '@tandem/service';
import type { Handler, Peers } from '../../handler.ts';
import { applyRuleJob } from './apply-rule.ts';
import { checkRuleTarget, ruleColumnsOf } from './check-rule.ts';
import { asRule } from './escalation.ts';

export const updateEscalationRule = (peers: Peers): Handler<typeof escalations.updateEscalationRule> => ({
  check: ({ body, caller }) => checkRuleTarget(peers, body, caller),
  async run({ params, body, tx, emit, schedule, ifMatch }) {
    const before = await tx.escalationRule.lockFirst({ where: { id: params.id } });
    if (!before) throw fail('not_found');
    const rule = asRule(before);
    ifMatch(rule);
    const { match, target, ...fields } = body;
    const { isEmpty, values } = diff(before, { ...fields, ...ruleColumnsOf(body) });
    if (isEmpty) return rule;
    const isActivated = values.active === true;
    const [row] = await tx.escalationRule.updateManyAndReturn({
      where: { id: rule.id },
      data: {
        ...values,
        version: { increment: 1 },
        // The changed rule may match tasks that the search has passed.
        escalatedTo: null,
        searchedAt: null,
        ...(isActivated && { round: { increment: 1 } }),
      },
    });
    if (!row) throw fail('not_found');
    const updated = asRule(row);
    const { audit } = diff(rule, {
      ...fields,
      ...(match && { match: updated.match }),
      ...(target && { target: updated.target }),
    });
    emit(escalationRuleUpdated, { data: { ruleId: rule.id }, record: updated, changes: audit });
    if (isActivated) await schedule(applyRuleJob, [{ ruleId: rule.id, round: updated.round }]);
    return updated;
  },
});
