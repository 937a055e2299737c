import { fail } from '@tandem/service';
import { type enrollmentRules, skipReasons } from '@tandem/training-contract';
import { z } from 'zod';
import type { Handler } from '../../handler.ts';
import { asRule, learnerNumberOf } from './enrollment-rule.ts';

const shownMax = 20;
const Reason = z.enum(skipReasons);

export const getEnrollmentRule: Handler<typeof enrollmentRules.getEnrollmentRule> = async ({ params, tx }) => {
  const row = await tx.enrollmentRule.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  const rule = asRule(row);
  const skipped = await tx.ruleOutcome.findMany({
    where: { ruleId: row.id, skipReason: { not: null } },
    orderBy: { decidedAt: 'desc' },
    take: shownMax,
  });
  const lastSkipped = skipped.map(({ learnerId, skipReason, decidedAt }) => ({
    learnerId: learnerNumberOf(rule, learnerId),
    reason: Reason.parse(skipReason),
    skippedAt: decidedAt,
  }));
  return { ...rule, lastSkipped };
};
