import { type LeadScore, meets } from '@tandem/crm-contract';
import type { z } from 'zod';
import type { LeadRecord } from '../leads/lead.ts';
import type { RuleRecord } from './scoring-rule.ts';

/** The points of a rule for a lead. */
export type Component = z.output<typeof LeadScore>['components'][number];

/** How many events of a type a lead caused on a day. */
export interface DayCount {
  type: string;
  /** The day in UTC, as days since 1970. */
  day: number;
  count: number;
}

const dayMs = 86_400_000;

/** The day of a time in UTC, as days since 1970. */
export function dayOf(time: Date): number {
  return Math.floor(time.getTime() / dayMs);
}

/** The points of each rule that counts for the lead. */
export function componentsOf(
  rules: readonly RuleRecord[],
  { lead, engagement, today }: { lead: LeadRecord; engagement: readonly DayCount[]; today: number },
): Component[] {
  return rules.flatMap((rule) => {
    const points = rule.eventType ? pointsOfEvents(rule, engagement, today) : pointsOfField(rule, lead);
    return points === 0 ? [] : [{ group: rule.group, ruleId: rule.id, points }];
  });
}

/** The score of its parts. */
export function scoreOf(components: readonly Component[]): number {
  const sum = components.reduce((total, { points }) => total + points, 0);
  return Math.min(100, Math.max(0, sum));
}

function pointsOfField({ field, operator, value, points }: RuleRecord, lead: LeadRecord): number {
  return field !== null && operator !== null && meets(lead, { field, operator, value }) ? points : 0;
}

/** The faded points of all events of the rule's type, as a whole number within the limit of the rule. */
function pointsOfEvents(rule: RuleRecord, engagement: readonly DayCount[], today: number): number {
  const { eventType, points, maxPoints, decayDays } = rule;
  let sum = 0;
  for (const { type, day, count } of engagement) {
    if (type !== eventType) continue;
    const ageDays = Math.max(0, today - day);
    sum += points * count * (decayDays === null ? 1 : Math.max(0, 1 - ageDays / decayDays));
  }
  const rounded = Math.sign(sum) * Math.round(Math.abs(sum));
  const limit = maxPoints ?? Number.POSITIVE_INFINITY;
  // Adding 0 turns -0 into 0.
  return Math.max(-limit, Math.min(limit, rounded)) + 0;
}
