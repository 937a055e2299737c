import { type conditionOperators, text } from '@tandem/contract';
import { z } from 'zod';

const partsMax = 20;
const valuesMax = 50;
const comparisonsMax = 50;

const fields = ['status', 'source', 'stage', 'tier', 'currency', 'assignedTo', 'score', 'value', 'createdAt'] as const;
// Those of conditions on leads that an index answers.
const operators = [
  ...(['equals', 'not_equals', 'in', 'greater_than', 'at_least', 'less_than', 'at_most'] as const),
  ...(['is_set', 'is_not_set'] as const),
] as const satisfies (typeof conditionOperators)[number][];

export const SearchFilterField = z.enum(fields, { error: `Must be one of ${fields.join(', ')}` }).meta({
  description: 'The field to compare: one of those that the type of documents can be filtered by',
  examples: ['status'],
});
export const SearchFilterOperator = z.enum(operators, { error: `Must be one of ${operators.join(', ')}` }).meta({
  description:
    'How to compare. `greater_than`, `at_least`, `less_than` and `at_most` are for numbers and times. A document without the field meets only `not_equals` and `is_not_set`.',
  examples: ['equals'],
});

const Value = z.union([text(64), z.number()], { error: 'Must be a text or a number' });

const comparison = {
  field: SearchFilterField,
  operator: SearchFilterOperator,
  value: z
    .union([Value, z.array(Value).min(1).max(valuesMax)], {
      error: `Must be a text, a number, or a list of 1 to ${valuesMax} texts and numbers`,
    })
    .nullish()
    .meta({
      description:
        'The value: a list for `in`, none for `is_set` and `is_not_set`, a date, or a time with a zone, in ISO 8601 for `createdAt`, and the id of a user for `assignedTo`',
      examples: ['new'],
    }),
};

/** A comparison of one field with a value. */
export const SearchComparison = z.object(comparison);

/** A comparison, or a group of such parts. */
function group<Part extends z.ZodType>(part: Part) {
  const parts = z.array(part).min(1, 'Must not be empty').max(partsMax, `Must contain at most ${partsMax} conditions`);
  return z
    .object({
      and: parts.optional().describe('Conditions that must all be met'),
      or: parts.optional().describe('Conditions of which one must be met'),
      field: comparison.field.optional(),
      operator: comparison.operator.optional(),
      value: comparison.value,
    })
    .superRefine((one, context) => {
      const kinds = [one.and, one.or, one.field].filter((kind) => kind !== undefined).length;
      const isComplete = one.field === undefined || one.operator !== undefined;
      if (kinds === 1 && isComplete) return;
      context.addIssue({
        code: 'custom',
        message: 'Must have either `and`, `or`, or `field` and `operator`',
      });
    });
}

export const SearchFilterPart = group(SearchComparison);
export const SearchFilterGroup = group(SearchFilterPart);

/** A condition on documents: groups are nested at most three levels deep. */
export const SearchFilter = group(SearchFilterGroup).superRefine((filter, context) => {
  if (comparisonsIn(filter) > comparisonsMax)
    context.addIssue({ code: 'custom', message: `Must contain at most ${comparisonsMax} comparisons` });
});

interface Node {
  and?: unknown[] | undefined;
  or?: unknown[] | undefined;
}

function comparisonsIn({ and, or }: Node): number {
  const parts = and ?? or;
  return parts ? parts.reduce<number>((sum, part) => sum + comparisonsIn(part as Node), 0) : 1;
}
