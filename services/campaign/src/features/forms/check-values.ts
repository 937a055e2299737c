import { email, type FieldError, phone } from '@tandem/contract';
import { fail } from '@tandem/service';
import { z } from 'zod';
import { emailField, type FieldRecord } from './form.ts';

type Value = string | number | boolean;

const lineMax = 500;
const textMax = 5_000;
const Email = email();
const Phone = phone();
const IsoDate = z.iso.date();

/**
 * The values of a submission by the key of the field, as they are stored. Keys that the form does not have are left out.
 * @param wasAsked whether the visitor saw a field: a required one that was not shown may be missing
 * @throws 422 naming each invalid field as `fields.<key>`
 */
export function checkValues(
  fields: readonly FieldRecord[],
  given: Record<string, unknown>,
  wasAsked: (field: FieldRecord) => boolean,
): Record<string, Value> {
  const errors: FieldError[] = [];
  const values: [string, Value][] = [];
  const address = emailField(fields);
  for (const field of fields) {
    const { key, type } = field;
    const raw = Object.hasOwn(given, key) ? given[key] : undefined;
    const isRequired = (field.required && wasAsked(field)) || field === address;
    const isMissing = raw === undefined || raw === null || (typeof raw === 'string' && raw.trim() === '');
    if (isMissing || (type === 'checkbox' && raw === false)) {
      if (isRequired) errors.push({ field: `fields.${key}`, message: 'Is required' });
      else if (raw === false) values.push([key, false]);
      continue;
    }
    const checked = checkValue(field, raw);
    if ('problem' in checked) errors.push({ field: `fields.${key}`, message: checked.problem });
    else values.push([key, checked.value]);
  }
  if (errors.length) throw fail('validation_failed', errors);
  return Object.fromEntries(values);
}

type Checked = { value: Value } | { problem: string };

function checkValue({ type, options }: FieldRecord, raw: unknown): Checked {
  if (type === 'checkbox') return typeof raw === 'boolean' ? { value: raw } : { problem: 'Must be true or false' };
  if (type === 'number') return checkNumber(raw);
  if (typeof raw !== 'string') return { problem: 'Must be a text' };
  const value = raw.trim();
  switch (type) {
    case 'email':
      return parsed(Email, value);
    case 'phone':
      return parsed(Phone, value);
    case 'date':
      return IsoDate.safeParse(value).success ? { value } : { problem: 'Must be a date such as 2026-01-31' };
    case 'select':
      return options.includes(value) ? { value } : { problem: `Must be one of ${options.join(', ')}` };
    default:
      return checkLength(value, type === 'textarea' ? textMax : lineMax);
  }
}

function checkNumber(raw: unknown): Checked {
  const value = typeof raw === 'string' ? Number(raw) : raw;
  return typeof value === 'number' && Number.isFinite(value) ? { value } : { problem: 'Must be a number' };
}

function checkLength(value: string, max: number): Checked {
  return value.length > max ? { problem: `Must be at most ${max} characters` } : { value };
}

function parsed(schema: z.ZodType<string>, value: string): Checked {
  const { data, error } = schema.safeParse(value);
  return error ? { problem: error.issues[0]?.message ?? 'Is invalid' } : { value: data };
}
