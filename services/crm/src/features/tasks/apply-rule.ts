import { id } from '@tandem/contract';
import { z } from 'zod';

/** Job that applies a rule every minute while it is active. Its round ends when the rule is activated again. */
export const applyRuleJob = {
  name: 'apply-escalation-rule',
  payload: z.object({ ruleId: id('escalation_rule'), round: z.int() }),
};
