import type { FieldError } from '@tandem/contract';
import type { Definition } from '../custom-fields/custom-field.ts';
import { timeOf } from './dates.ts';
import type { RowContext, Texts } from './target.ts';

/** The custom fields of a row, with the types that their definitions have; undefined without any. */
export function customFieldsOf(
  texts: Texts,
  { defined: { definitions, dateOrder }, errors }: Pick<RowContext, 'defined' | 'errors'>,
): Record<string, unknown> | undefined {
  const prefix = 'customFields.';
  const found = Object.entries(texts).filter(([field]) => field.startsWith(prefix));
  if (!found.length) return undefined;
  const typeOf = new Map(definitions.map(({ key, type }) => [key, type]));
  return Object.fromEntries(
    found.map(([field, text]) => {
      const key = field.slice(prefix.length);
      const type = typeOf.get(key);
      if (type !== 'date') return [key, customValue(text, type)];
      const date = timeOf(text, dateOrder);
      if ('error' in date) errors.push({ field, message: date.error });
      return [key, 'error' in date ? text : date.time.slice(0, 10)];
    }),
  );
}

/** A text that does not fit the type stays as it is: the check of custom fields rejects it, and names the remedy. */
function customValue(text: string, type: Definition['type'] | undefined): unknown {
  if (type === 'number') return numberOf(text) ?? text;
  if (type === 'multi_select') return listOf(text);
  if (type === 'checkbox') return checkboxes[text.toLowerCase()] ?? text;
  if (type !== 'currency') return text;
  const code = /\b[A-Z]{3}\b/.exec(text)?.[0];
  const amount = numberOf(text.replace(/\b[A-Z]{3}\b/, ''));
  return code && amount !== undefined ? { amount, currency: code } : text;
}

const checkboxes: Record<string, boolean> = {
  ...Object.fromEntries(['true', 'yes', 'ja', 'x', '1', 'wahr'].map((word) => [word, true])),
  ...Object.fromEntries(['false', 'no', 'nein', '0', 'falsch'].map((word) => [word, false])),
};

/** The parts of a text that lists several, such as tags. */
export function listOf(text: string): string[] {
  return [
    ...new Set(
      text
        .split(/[,;|\n]/)
        .map((part) => part.trim())
        .filter(Boolean),
    ),
  ];
}

/** `Ada King Lovelace` has the last name Lovelace; `Lovelace, Ada` too. */
export function splitName(text: string): { firstName?: string; lastName?: string } {
  const [last, first] = text.split(',').map((part) => part.trim());
  if (first) return { firstName: first, ...(last && { lastName: last }) };
  const words = text.trim().split(/\s+/);
  const lastName = words.length > 1 ? words.pop() : undefined;
  return { firstName: words.join(' '), ...(lastName && { lastName }) };
}

/**
 * A number as people write it: `4800`, `4,800.50`, `4.800,50`, `1 200`, `12,5`, `€ 4.800`. A single comma before exactly three
 * digits separates thousands; a single point is the decimal point.
 */
export function numberOf(text: string): number | undefined {
  const bare = text.replaceAll(/[\s'’]|^[^\d-]{1,4}|[^\d]{1,4}$/gu, '');
  if (!/^-?\d[\d.,]*$/.test(bare)) return undefined;
  const [points, commas] = ['.', ','].map((sign) => bare.split(sign).length - 1) as [number, number];
  let decimal = bare.lastIndexOf('.') > bare.lastIndexOf(',') ? '.' : ',';
  if (decimal === ',' && /^-?[1-9]\d{0,2},\d{3}$/.test(bare)) decimal = '.';
  if ((decimal === '.' ? points : commas) > 1) decimal = decimal === '.' ? ',' : '.';
  const thousands = decimal === '.' ? ',' : '.';
  const value = Number(bare.replaceAll(thousands, '').replace(decimal, '.'));
  return Number.isFinite(value) ? value : undefined;
}

/** Puts the number of a field into the body, or an error if its text is none. */
export function putNumber(body: Record<string, unknown>, texts: Texts, field: string, errors: FieldError[]): void {
  const text = texts[field];
  if (text === undefined) return;
  const value = numberOf(text);
  if (value === undefined) errors.push({ field, message: 'Must be a number' });
  else body[field] = value;
}

const signs: Record<string, string> = { '€': 'EUR', '£': 'GBP' };

/** An amount with the currency that its text names: `4.800,50 EUR`, `€ 4800`, `4800`. */
export function amountOf(text: string): { value: number; currency?: string } | { error: string } {
  const code = /\b[A-Z]{3}\b/.exec(text)?.[0] ?? signs[/[€£]/.exec(text)?.[0] ?? ''];
  const value = numberOf(text.replace(/\b[A-Z]{3}\b/, ''));
  if (value === undefined) return { error: 'Must be an amount, such as 4800.50 or 4800.50 EUR' };
  // Several currencies have the sign $, and others no sign that is known here.
  if (!code && /\p{Sc}/u.test(text)) return { error: 'Name the currency by its code, such as 4800.50 USD' };
  return { value, ...(code && { currency: code }) };
}
