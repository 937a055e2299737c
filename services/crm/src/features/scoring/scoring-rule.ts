import type { FieldError } from '@tandem/contract';
import { conditionErrors, ScoringRule } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import { Prisma, type ScoringRule as RuleRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type RuleRecord = z.output<typeof ScoringRule>;

const columns = ScoringRule.pick({ group: true, field: true, operator: true, value: true, eventType: true });

/** Converts a row to the contract's `ScoringRule`. */
export function asRule(row: RuleRow): RuleRecord {
  return { ...row, ...columns.parse(row) };
}

/** The rules by which scores are calculated, oldest first. */
export async function activeRules(tx: Tx): Promise<RuleRecord[]> {
  const rows = await tx.scoringRule.findMany({ where: { active: true }, orderBy: { id: 'asc' } });
  return rows.map(asRule);
}

/** The fields of a rule from which points are calculated. */
export type RuleContent = Pick<
  RuleRecord,
  'group' | 'field' | 'operator' | 'value' | 'eventType' | 'points' | 'maxPoints' | 'decayDays'
>;

/** Fails unless the fields of a rule fit together. */
export function checkRule(rule: RuleContent): void {
  const errors = contradictions(rule);
  if (errors.length) throw fail('validation_failed', errors);
}

function contradictions(rule: RuleContent): FieldError[] {
  const { group, field, operator, value, eventType, points, maxPoints, decayDays } = rule;
  if ((field === null) === (eventType === null))
    return [{ field: 'field', message: 'Send either field with operator and value, or eventType' }];
  const eventsOnly = 'Applies only to rules with eventType; omit it';
  if (eventType !== null) {
    if (operator !== null) return [{ field: 'operator', message: 'Applies only to rules with field; omit it' }];
    if (value !== null) return [{ field: 'value', message: 'Applies only to rules with field; omit it' }];
    if (group === 'fit') return [{ field: 'group', message: 'Must be engagement for a rule with eventType' }];
    if (maxPoints !== null && maxPoints < Math.abs(points))
      return [{ field: 'maxPoints', message: 'Must be at least the points of one event' }];
    return [];
  }
  if (operator === null) return [{ field: 'operator', message: 'Is required for a rule with field' }];
  if (field === 'score') return [{ field: 'field', message: 'The score cannot depend on itself; use another field' }];
  if (maxPoints !== null) return [{ field: 'maxPoints', message: eventsOnly }];
  if (decayDays !== null) return [{ field: 'decayDays', message: eventsOnly }];
  return field === null ? [] : conditionErrors({ field, operator, value });
}

/** The value of a condition for its column. */
export function toValueColumn(value: RuleRecord['value']) {
  return value === null ? Prisma.DbNull : value;
}
