import { actingUserId } from '@tandem/caller';
import { scoringRuleCreated, type scoringRules, scoringRulesMax } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asRule, checkRule, toValueColumn } from './scoring-rule.ts';
import { lockState, scheduleDecay, startRecount } from './scoring-state.ts';

export const createScoringRule: Handler<typeof scoringRules.createScoringRule> = async ({
  body,
  caller,
  tx,
  emit,
  schedule,
}) => {
  const rule = {
    name: body.name,
    group: body.group ?? (body.eventType ? 'engagement' : 'fit'),
    field: body.field ?? null,
    operator: body.operator ?? null,
    value: body.value ?? null,
    eventType: body.eventType ?? null,
    points: body.points,
    maxPoints: body.maxPoints ?? null,
    decayDays: body.decayDays ?? null,
    active: body.active,
  };
  checkRule(rule);
  const state = await lockState(tx);
  if ((await tx.scoringRule.count()) >= scoringRulesMax) throw fail('too_many_rules');
  const createdBy = actingUserId(caller) ?? null;
  const created = asRule(
    await tx.scoringRule.create({ data: { ...rule, value: toValueColumn(rule.value), createdBy } }),
  );
  emit(scoringRuleCreated, { data: { scoringRuleId: created.id }, record: created });
  await scheduleDecay({ tx, schedule }, state, created);
  const recountJobId = created.active ? await startRecount({ tx, schedule, caller }, state) : null;
  return { ...created, recountJobId };
};
