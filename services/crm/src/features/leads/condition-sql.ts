import type { LeadCondition, LeadConditionValue } from '@tandem/contract';
import { comparedText } from '@tandem/crm-contract';
import type { z } from 'zod';

type Condition = z.output<typeof LeadCondition>;

/** A part of a statement: its texts, and the parameters between them. */
export interface SqlPart {
  texts: string[];
  values: unknown[];
}

/** Creates a part from a template: `${}` become parameters, and other parts become part of the text. */
export function part(strings: TemplateStringsArray, ...inserted: unknown[]): SqlPart {
  const made: SqlPart = { texts: [strings[0] as string], values: [] };
  for (const [index, one] of inserted.entries()) {
    const after = strings[index + 1] as string;
    const { texts, values } = isPart(one) ? one : { texts: ['', ''], values: [one] };
    made.texts.push(`${made.texts.pop()}${texts[0]}`, ...texts.slice(1));
    made.values.push(...values);
    made.texts.push(`${made.texts.pop()}${after}`);
  }
  return made;
}

/** Joins parts to one. */
export function joined(parts: readonly SqlPart[], separator: string): SqlPart {
  const between = raw(separator);
  return parts.reduce((all, one, index) => (index ? part`${all}${between}${one}` : one), raw(''));
}

function isPart(value: unknown): value is SqlPart {
  return typeof value === 'object' && value !== null && 'texts' in value;
}

function raw(text: string): SqlPart {
  return { texts: [text], values: [] };
}

/**
 * The condition as SQL on a row `lead`, with the result of `meets` of the contract: true or false, or null where
 * PostgreSQL may decide differently than JavaScript, so that `meets` has to decide.
 */
export function conditionSql(condition: Condition): SqlPart {
  const { field, operator, value } = condition;
  switch (operator) {
    case 'is_set':
      return isSet(field);
    case 'is_not_set':
      return part`NOT ${isSet(field)}`;
    case 'not_equals':
    case 'not_in':
      return part`NOT ${someValue(field, 'equals', value)}`;
    case 'in':
      return someValue(field, 'equals', value);
    default:
      return someValue(field, operator, value);
  }
}

type Comparison = Exclude<Condition['operator'], 'is_set' | 'is_not_set' | 'not_equals' | 'not_in' | 'in'>;

const textColumns: Readonly<Record<string, SqlPart>> = {
  email: raw('lead.email'),
  // The part after the last @, like the contract's.
  emailDomain: raw(`split_part(lead.email, '@', -1)`),
  firstName: raw('lead.first_name'),
  lastName: raw('lead.last_name'),
  phone: raw('lead.phone'),
  source: raw('lead.source'),
  status: raw('lead.status'),
  referralCode: raw('lead.referral_code'),
  externalId: raw('lead.external_id'),
};

/** The field as jsonb, for fields that are not a text. */
function jsonOf(field: string): SqlPart {
  if (field === 'score') return raw('to_jsonb(lead.score)');
  if (field === 'tags') return raw('to_jsonb(lead.tags)');
  return part`(lead.custom_fields -> ${field.slice('customFields.'.length)}::text)`;
}

/** The values of a field that is not a text as rows `e`: the members of a list, or the value itself, without empty ones. */
function valuesOf(json: SqlPart): SqlPart {
  return part`jsonb_array_elements(CASE jsonb_typeof(${json}) WHEN 'array' THEN ${json} ELSE jsonb_build_array(${json}) END) AS e
    WHERE e NOT IN ('null'::jsonb, '""'::jsonb)`;
}

function isSet(field: string): SqlPart {
  const column = textColumns[field];
  if (column) return part`(coalesce(${column}, '') <> '')`;
  return part`EXISTS (SELECT FROM ${valuesOf(jsonOf(field))})`;
}

function someValue(field: string, comparison: Comparison, value: LeadConditionValue | null): SqlPart {
  const column = textColumns[field];
  if (column) return part`(coalesce(${column}, '') <> '' AND ${compared(column, comparison, value)})`;
  const json = jsonOf(field);
  if (comparison !== 'contains') return someOf(json, comparison, value);
  return part`(CASE jsonb_typeof(${json}) WHEN 'array' THEN ${someOf(json, 'equals', value)} ELSE ${someOf(json, 'contains', value)} END)`;
}

// Numbers that JavaScript and PostgreSQL write in the same way: at most 15 digits, no exponent, no zeros at the end.
const plainNumber = raw(`'^-?([0-9]{1,15}|[0-9]{1,9}\\.[0-9]{0,5}[1-9])$'`);

/** Whether one of the values compares; null if none surely does and one is undecided. */
function someOf(json: SqlPart, comparison: Comparison, value: LeadConditionValue | null): SqlPart {
  const isBySize = !['equals', 'contains', 'starts_with'].includes(comparison);
  // JavaScript compares true with a number as 1.
  const boolean = raw(isBySize ? 'NULL' : `e #>> '{}'`);
  return part`(SELECT CASE WHEN bool_or(met) THEN true WHEN bool_or(met IS NULL) THEN NULL ELSE false END
    FROM (SELECT ${compared(raw('t'), comparison, value)} AS met
      FROM (SELECT CASE jsonb_typeof(e) WHEN 'string' THEN e #>> '{}' WHEN 'boolean' THEN ${boolean}
          WHEN 'number' THEN CASE WHEN e #>> '{}' ~ ${plainNumber} THEN e #>> '{}' END END AS t
        FROM ${valuesOf(json)}) AS texts) AS results)`;
}

// Characters whose lower case depends on their neighbours, has several characters, or is newer than PostgreSQL's tables.
const undecided = raw(`'[\\u0130\\u03A3\\uA700-\\uABFF\\U00010000-\\U0010FFFF]'`);

/** The comparison of a text, which is not empty; null if undecided. */
function compared(text: SqlPart, comparison: Comparison, value: LeadConditionValue | null): SqlPart {
  const lower = part`lower(${text} COLLATE "pg_c_utf8")`;
  const decided = (result: SqlPart) => part`(CASE WHEN ${text} ~ ${undecided} THEN NULL ELSE ${result} END)`;
  switch (comparison) {
    case 'equals':
      return decided(part`${lower} = ANY(${(Array.isArray(value) ? value : [value]).map(comparedText)}::text[])`);
    case 'contains':
      return decided(part`strpos(${lower}, ${comparedText(value)}::text) > 0`);
    case 'starts_with':
      return decided(part`starts_with(${lower}, ${comparedText(value)}::text)`);
    default:
      return bySize(text, comparison, value);
  }
}

const signs = { greater_than: '>', at_least: '>=', less_than: '<', at_most: '<=' } as const;
const decimal = raw(`'^-?[0-9]{1,30}(\\.[0-9]{1,30})?$'`);
// JavaScript reads neither as a number. A text that begins with I can be Infinity.
const noNumber = raw(`'^([A-HJ-Za-hj-z]|[0-9]{4}-[0-9])'`);
// Dates and times with equal forms are ordered alike by their characters and by the rules of a language.
const datePattern = '^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?Z?)?$';
const dateForm = new RegExp(datePattern);

/** Numbers and dates. The order of other texts depends on a language. */
function bySize(text: SqlPart, comparison: keyof typeof signs, value: LeadConditionValue | null): SqlPart {
  const sign = raw(signs[comparison]);
  const number = typeof value === 'boolean' || Array.isArray(value) ? Number.NaN : Number(value);
  if (!Number.isNaN(number)) {
    const other = raw(typeof value === 'number' ? 'false' : 'NULL');
    return part`(CASE WHEN ${text} ~ ${decimal} THEN ${text}::float8 ${sign} ${number}::float8 WHEN ${text} ~ ${noNumber} THEN ${other} END)`;
  }
  if (typeof value !== 'string' || !dateForm.test(value)) return raw('NULL::boolean');
  return part`(CASE WHEN ${text} ~ ${datePattern}::text THEN ${text} COLLATE "C" ${sign} ${value}::text END)`;
}
