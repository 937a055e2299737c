import type { Handlers } from '@tandem/service';
import type { enrollmentRules } from '@tandem/training-contract';
import type { Tools, Tx } from '../../handler.ts';
import { createEnrollmentRule } from './create-enrollment-rule.ts';
import { deleteEnrollmentRule } from './delete-enrollment-rule.ts';
import { disableEnrollmentRule } from './disable-enrollment-rule.ts';
import { enableEnrollmentRule } from './enable-enrollment-rule.ts';
import { getEnrollmentRule } from './get-enrollment-rule.ts';
import { listEnrollmentRules } from './list-enrollment-rules.ts';
import { updateEnrollmentRule } from './update-enrollment-rule.ts';

export const enrollmentRuleHandlers = (tools: Pick<Tools, 'peers'>) =>
  ({
    createEnrollmentRule: createEnrollmentRule(tools),
    listEnrollmentRules,
    getEnrollmentRule,
    updateEnrollmentRule: updateEnrollmentRule(tools),
    deleteEnrollmentRule,
    enableEnrollmentRule,
    disableEnrollmentRule,
  }) satisfies Handlers<typeof enrollmentRules, Tx>;
