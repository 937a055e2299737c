import type { conditionFields, FieldError, LeadCondition, LeadConditionValue } from '@tandem/contract';
import type { z } from 'zod';
import type { Lead } from './lead.ts';
import { conditionValues } from './lead-conditions.ts';

/** A condition on one field of a lead. */
type Condition = z.output<typeof LeadCondition>;

/** The fields of a lead that conditions read. */
type MatchedLead = Pick<
  z.output<typeof Lead>,
  Exclude<(typeof conditionFields)[number], 'emailDomain'> | 'customFields'
>;

type Operator = Condition['operator'];

const withoutValue: readonly Operator[] = ['is_set', 'is_not_set'];
const withList: readonly Operator[] = ['in', 'not_in'];
const ordered: readonly Operator[] = ['greater_than', 'at_least', 'less_than', 'at_most'];
const ofTexts: readonly Operator[] = ['contains', 'starts_with'];

/** The errors of a condition that contradicts itself or the schema of leads. `within` is its place in the body: `match.0.` */
export function conditionErrors(condition: Condition, within = ''): FieldError[] {
  const { field, operator, value } = condition;
  const message = valueError(condition);
  if (message) return [{ field: `${within}value`, message }];
  const known = conditionValues[field];
  if (known && ordered.includes(operator))
    return [{ field: `${within}operator`, message: `Cannot compare ${field} by size; use equals or in` }];
  if (field === 'score' && typeof value === 'string')
    return [{ field: `${within}value`, message: 'Must be a number, because score is one' }];
  const unknown = known && withoutValue.concat(ofTexts).every((one) => one !== operator);
  const values = Array.isArray(value) ? value : [value];
  if (unknown && !values.every((one) => known.includes(String(one).toLowerCase())))
    return [{ field: `${within}value`, message: `Must be one of ${known.join(', ')}` }];
  return [];
}

function valueError({ operator, value }: Condition): string | undefined {
  const isList = Array.isArray(value);
  if (withoutValue.includes(operator)) return value === null ? undefined : `Must be omitted for ${operator}`;
  if (value === null || value === '') return `Is required for ${operator}`;
  if (withList.includes(operator)) return isList && value.length ? undefined : `Must be a list for ${operator}`;
  if (isList) return `Must be a single value for ${operator}; use in or not_in for a list`;
  if (ordered.includes(operator) && typeof value === 'boolean') return `Must be a number or a text for ${operator}`;
  if (ofTexts.includes(operator) && typeof value !== 'string') return `Must be a text for ${operator}`;
  return undefined;
}

/** The column of a lead from which a condition reads: `customFields` for `customFields.country`. */
export function columnOf(field: string): string {
  if (field === 'emailDomain') return 'email';
  return field.startsWith('customFields.') ? 'customFields' : field;
}

/** Whether a lead meets a condition. A missing value meets only `is_not_set`, `not_equals` and `not_in`. */
export function meets(lead: MatchedLead, { field, operator, value }: Condition): boolean {
  const found = valuesOf(lead, field);
  switch (operator) {
    case 'is_set':
      return found.length > 0;
    case 'is_not_set':
      return found.length === 0;
    case 'equals':
    case 'in':
      return found.some((one) => isAmong(one, value));
    case 'not_equals':
    case 'not_in':
      return !found.some((one) => isAmong(one, value));
    case 'contains':
      return found.some((one) =>
        isMember(lead, field) ? isAmong(one, value) : comparedText(one).includes(comparedText(value)),
      );
    case 'starts_with':
      return found.some((one) => comparedText(one).startsWith(comparedText(value)));
    default:
      return found.some((one) => compares(operator, one, value));
  }
}

/** The values of a field: none if it is empty, several for a list. */
function valuesOf(lead: MatchedLead, field: string): unknown[] {
  const value = fieldOf(lead, field);
  const values = Array.isArray(value) ? value : [value];
  return values.filter((one) => one !== null && one !== undefined && one !== '');
}

function fieldOf(lead: MatchedLead, field: string): unknown {
  if (field === 'emailDomain') return lead.email.split('@').at(-1);
  if (!field.startsWith('customFields.')) return lead[field as keyof MatchedLead];
  const key = field.slice('customFields.'.length);
  return ownValue(lead.customFields, key);
}

function isMember(lead: MatchedLead, field: string): boolean {
  return Array.isArray(fieldOf(lead, field));
}

function isAmong(found: unknown, value: LeadConditionValue | null): boolean {
  return (Array.isArray(value) ? value : [value]).some((one) => comparedText(one) === comparedText(found));
}

/** A value as the text that is compared: clients store numbers and booleans of custom fields as texts, too. */
export function comparedText(value: unknown): string {
  return (typeof value === 'object' ? JSON.stringify(value) : String(value)).toLowerCase();
}

/** Compares numbers by size, and other texts, such as dates in ISO 8601, by their characters. */
function compares(operator: Operator, found: unknown, value: LeadConditionValue | null): boolean {
  const [one, other] = [Number(found), Number(value)];
  const isNumeric = !Number.isNaN(one) && !Number.isNaN(other);
  if (!isNumeric && typeof value === 'number') return false;
  const order = isNumeric ? Math.sign(one - other) : comparedText(found).localeCompare(comparedText(value));
  if (operator === 'greater_than') return order > 0;
  if (operator === 'at_least') return order >= 0;
  return operator === 'less_than' ? order < 0 : order <= 0;
}

/** A member of an object that clients wrote. A key such as `constructor` does not find what every object inherits. */
export function ownValue(values: object | null | undefined, key: string): unknown {
  return values && Object.hasOwn(values, key) ? (values as Record<string, unknown>)[key] : undefined;
}
