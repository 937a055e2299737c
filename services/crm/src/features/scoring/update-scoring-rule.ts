import { type scoringRules, scoringRuleUpdated } from '@tandem/crm-contract';
import { diff, fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asRule, checkRule, type RuleRecord, toValueColumn } from './scoring-rule.ts';
import { lockState, scheduleDecay, startRecount } from './scoring-state.ts';

export const updateScoringRule: Handler<typeof scoringRules.updateScoringRule> = async ({
  params,
  body,
  caller,
  tx,
  emit,
  schedule,
  ifMatch,
}) => {
  const state = await lockState(tx);
  const row = await tx.scoringRule.lockFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  const rule = asRule(row);
  ifMatch(rule);
  const { isEmpty, values, audit } = diff(rule, body);
  if (isEmpty) return { ...rule, recountJobId: null };
  checkRule({ ...rule, ...values });
  const { value, ...fields } = values;
  const [written] = await tx.scoringRule.updateManyAndReturn({
    where: { id: rule.id },
    data: { ...fields, ...(value !== undefined && { value: toValueColumn(value) }), version: { increment: 1 } },
  });
  if (!written) throw fail('not_found');
  const updated = asRule(written);
  emit(scoringRuleUpdated, { data: { scoringRuleId: rule.id }, record: updated, changes: audit });
  await scheduleDecay({ tx, schedule }, state, updated);
  const recountJobId = affectsScores(rule, updated) ? await startRecount({ tx, schedule, caller }, state) : null;
  return { ...updated, recountJobId };
};

/** Whether the change of a rule can change a score: a rule that is not active has no effect, and neither has a name. */
function affectsScores(before: RuleRecord, after: RuleRecord): boolean {
  if (!before.active && !after.active) return false;
  const content = ({ name, version, updatedAt, ...rest }: RuleRecord) => rest;
  return !diff(content(before), content(after)).isEmpty;
}
