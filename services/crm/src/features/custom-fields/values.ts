import { currency, misfit } from '@tandem/contract';
import { z } from 'zod';
import type { Definition } from './custom-field.ts';

/** A value of a defined field: as it is sorted and compared, or why it does not fit. */
export type Checked =
  | { error: string }
  | { sortValue: string | number | Date; keyValue: string }
  | Record<string, never>;

/** Why a value does not fit; undefined if it does. */
export function errorOf(checked: Checked): string | undefined {
  return 'error' in checked ? checked.error : undefined;
}

const textMax = 1000;
const sortTextMax = 200;
const keyTextMax = 500;
const choicesMax = 50;

const Url = z.url({ protocol: /^https?$/ }).max(2048);
const Money = z.strictObject({ amount: z.number(), currency: currency() });

/** A value of a field; null for one that is missing. A form sends an empty text for a field that nobody filled in. */
export function givenValue(value: unknown): unknown {
  return value === undefined || (typeof value === 'string' && value.trim() === '') ? null : value;
}

/** Checks one value, which is not null, against its definition. */
export function checkValue({ type, options }: Pick<Definition, 'type' | 'options'>, value: unknown): Checked {
  switch (type) {
    case 'text':
      return typeof value === 'string' && value.length <= textMax
        ? text(value)
        : { error: `Must be a text of at most ${textMax} characters` };
    case 'number':
      return typeof value === 'number' ? { sortValue: value, keyValue: String(value) } : { error: 'Must be a number' };
    case 'date':
      return z.iso.date().safeParse(value).success
        ? { sortValue: new Date(`${value as string}T00:00:00Z`), keyValue: value as string }
        : { error: 'Must be a date, such as 2026-03-31' };
    case 'select':
      return options.some((option) => option.value === value)
        ? text(value as string)
        : { error: `Must be one of ${list(options)}` };
    case 'multi_select':
      return isChoice(value, options)
        ? {}
        : { error: `Must be a list of at most ${choicesMax} different values of ${list(options)}` };
    case 'checkbox':
      return typeof value === 'boolean' ? {} : { error: 'Must be true or false' };
    case 'url':
      return Url.safeParse(value).success
        ? text(value as string)
        : { error: 'Must be a URL with http or https of at most 2048 characters' };
    case 'user':
      return typeof value === 'string' && /^[a-zA-Z0-9]{16,20}$/.test(value)
        ? {}
        : { error: 'Must be the id of a user' };
    case 'currency':
      return money(value);
  }
}

function text(value: string): Checked {
  const folded = value.normalize('NFC').toLowerCase();
  return {
    sortValue: folded.slice(0, sortTextMax).toWellFormed(),
    keyValue: folded.trim().slice(0, keyTextMax).toWellFormed(),
  };
}

function money(value: unknown): Checked {
  const parsed = Money.safeParse(value);
  if (!parsed.success)
    return { error: 'Must be an object with amount and currency, such as {"amount":12.5,"currency":"EUR"}' };
  const { amount, currency: code } = parsed.data;
  const fault = misfit(amount, code);
  return fault ? { error: fault } : {};
}

function isChoice(value: unknown, options: Definition['options']): boolean {
  if (!Array.isArray(value) || value.length > choicesMax || new Set(value).size !== value.length) return false;
  return value.every((one) => options.some((option) => option.value === one));
}

const namedMax = 10;

function list(options: Definition['options']): string {
  const named = options.slice(0, namedMax).map(({ value }) => value);
  return `${named.join(', ')}${options.length > namedMax ? ` and ${options.length - namedMax} more` : ''}`;
}
