import type { enrollmentRules } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { asRule } from './enrollment-rule.ts';

export const listEnrollmentRules: Handler<typeof enrollmentRules.listEnrollmentRules> = async ({ query, tx, list }) => {
  const { courseId, learnerType, active } = query;
  const page = await list({
    model: tx.enrollmentRule,
    where: {
      ...(courseId !== undefined && { courseId }),
      ...(learnerType && { learnerType }),
      ...(active !== undefined && { active }),
    },
  });
  return { ...page, items: page.items.map(asRule) };
};
