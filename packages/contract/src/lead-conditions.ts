// Conditions on leads, which rules of crm, segments and workflows have.
import { z } from 'zod';
import { text } from './fields.ts';

/** The fields of a lead that conditions can compare, besides its custom fields. */
export const conditionFields = [
  'email',
  'emailDomain',
  'firstName',
  'lastName',
  'phone',
  'source',
  'status',
  'score',
  'tags',
  'referralCode',
  'externalId',
] as const;

export const conditionOperators = [
  'equals',
  'not_equals',
  'in',
  'not_in',
  'contains',
  'starts_with',
  'greater_than',
  'at_least',
  'less_than',
  'at_most',
  'is_set',
  'is_not_set',
] as const;

const listMax = 100;
const customField = /^customFields\.[^.\s]{1,64}$/;

const Field = text(80)
  .refine((field) => (conditionFields as readonly string[]).includes(field) || customField.test(field), {
    error: `Must be one of ${conditionFields.join(', ')} or customFields.<key>`,
  })
  .meta({
    description: `The field to compare: ${conditionFields.join(', ')}, or \`customFields.<key>\``,
    examples: ['customFields.country'],
  });
export const ConditionOperator = z.enum(conditionOperators).meta({
  description:
    'How to compare. Texts are compared without case. `contains` finds a part of a text or a member of a list, `in` compares with each value of a list.',
  examples: ['equals'],
});
const Single = z.union([text(200), z.number(), z.boolean()], { error: 'Must be a text, a number, true or false' });
const Value = z
  .union([Single, z.array(z.union([text(200), z.number()])).max(listMax)], {
    error: `Must be a text, a number, true, false, or a list of at most ${listMax} texts and numbers`,
  })
  .meta({
    description: 'The value to compare with: a list for `in` and `not_in`, none for `is_set` and `is_not_set`',
    examples: ['DE'],
  });

/** A condition on one field of a lead. */
export const LeadCondition = z.object({ field: Field, operator: ConditionOperator, value: Value.nullable() });

/** A condition in a request, where the value may be missing. */
export const writableCondition = LeadCondition.extend({ value: Value.nullish() });

export type LeadConditionValue = z.output<typeof Value>;

/** Maximum number of leads in a page of `selectLeads`, and of ids among which it selects. */
export const selectedLeadsMax = 1_000;

/** Maximum number of conditions of a `selectLeads` request. */
export const selectConditionsMax = 20;
