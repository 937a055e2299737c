import type { FieldError } from '@tandem/contract';
import type { Texts } from './target.ts';

/** Removes the texts of custom fields, and returns them as an object; undefined without any. */
export function customFieldsOf(texts: Texts): Record<string, string> | undefined {
  const prefix = 'customFields.';
  const found = Object.entries(texts).filter(([field]) => field.startsWith(prefix));
  return found.length
    ? Object.fromEntries(found.map(([field, text]) => [field.slice(prefix.length), text]))
    : undefined;
}

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

/** A day or a time as ISO 8601 text in UTC: `2026-03-02`, `02.03.2026`, `2026-03-02T09:30:00Z`. */
export function timeOf(text: string): string | undefined {
  const [, day, month, year] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text) ?? [];
  const iso = year ? `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}` : text;
  if (!/^\d{4}-\d{2}-\d{2}(T|$)/.test(iso)) return undefined;
  const time = new Date(iso.includes('T') ? iso : `${iso}T00:00:00.000Z`);
  if (Number.isNaN(time.getTime())) return undefined;
  // Date accepts the 31st of February as a day of March.
  if (!iso.includes('T') && !time.toISOString().startsWith(iso)) return undefined;
  return time.toISOString();
}

/** Puts the time of a field into the body, or an error if its text is none. */
export function putTime(body: Record<string, unknown>, texts: Texts, field: string, errors: FieldError[]): void {
  const text = texts[field];
  if (text === undefined) return;
  const time = timeOf(text);
  if (time) body[field] = time;
  else errors.push({ field, message: 'Must be a date such as 2026-03-02 or 02.03.2026' });
}
