import { idTypeOf, unwrap } from '@tandem/contract';
import { Lead, Opportunity } from '@tandem/crm-contract';
import { Partner } from '@tandem/partner-contract';
import type { z } from 'zod';
import { digitsOf, fold, type Word, wordsOf } from './words.ts';

/** A text in a document, and the path to it. */
export interface Field {
  path: string;
  text: string;
  words: Word[];
  weight: number;
}

// Results are filtered by these; as words they would match most records: "new" would find every lead.
const filters = ['status', 'source', 'stage', 'tier', 'currency', 'assignedTo'];
// Paths that hold no text in records of this API: ids, times, choices, numbers. Only the schema tells them from text of
// customers, such as an externalId or a custom field of any name.
const unread = new Set([...filters, ...[Lead, Opportunity, Partner].flatMap((record) => pathsWithoutText(record))]);
const weights: [RegExp, number][] = [
  [/^(title|(first|middle|last|full|display)?name|e-?mail(address)?|(mobile)?phone(number)?|mobile)$/i, 4],
  [/^(company|organi[sz]ation)(name)?$/i, 2],
];
const phoneName = /phone|mobile/i;
const emailName = /e-?mail/i;
const fullName = /^(title|(full|display)?name)$/i;
/** Before what a document is found by as a whole; no word begins with it. */
const wholeMark = '=';
const wholeLengthMax = 255;
const termsMax = 500;

/** The texts of a document that can be searched. */
export function fieldsOf(document: Record<string, unknown>): Field[] {
  const fields: Field[] = [];
  const visit = (value: unknown, name: string, path: string) => {
    if (unread.has(path)) return;
    if (typeof value === 'string') fields.push(asField(value, name, path));
    else if (Array.isArray(value)) for (const one of value) visit(one, name, path);
    else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) visit(inner, key, path ? `${path}.${key}` : key);
  };
  visit(document, '', '');
  return fields;
}

function pathsWithoutText(schema: z.core.$ZodType, path = ''): string[] {
  const node = unwrap(schema);
  const { type, shape, element } = node._zod.def as {
    type: string;
    shape?: Record<string, z.core.$ZodType>;
    element?: z.core.$ZodType;
  };
  if (shape)
    return Object.entries(shape).flatMap(([key, inner]) => pathsWithoutText(inner, path ? `${path}.${key}` : key));
  if (element) return pathsWithoutText(element, path);
  const isText = type === 'string' && !idTypeOf(node);
  return isText || type === 'record' ? [] : [path];
}

function asField(text: string, name: string, path: string): Field {
  const weight = weights.find(([form]) => form.test(name))?.[1] ?? 1;
  const digits = phoneName.test(name) ? digitsOf(text) : '';
  const words = digits ? [{ term: digits.slice(0, 32), start: 0, end: text.length }] : wordsOf(text);
  return { path, text, words, weight };
}

/** What a document is found by: its words, and as wholes its addresses, numbers and names, each with its weight. */
export function termsOf(document: Record<string, unknown>): Map<string, number> {
  const fields = fieldsOf(document).sort((a, b) => b.weight - a.weight);
  const terms = new Map(wholesIn(document, fields).map((whole) => [whole, 0]));
  for (const { words, weight } of fields)
    for (const { term } of words) if (terms.size < termsMax && !terms.has(term)) terms.set(term, weight);
  return terms;
}

function wholesIn({ firstName, lastName }: Record<string, unknown>, fields: Field[]): string[] {
  const name = [firstName, lastName].filter((part) => typeof part === 'string').join(' ');
  const own = fields.flatMap(({ path, text }) => {
    const last = path.split('.').at(-1) ?? '';
    if (emailName.test(last)) return [fold(text.trim())];
    if (phoneName.test(last)) return [digitsOf(text)];
    return fullName.test(last) ? [joined(text)] : [];
  });
  return [...own.slice(0, 20), joined(name)].filter((whole) => whole !== '').map(asWhole);
}

/** What a question is as a whole: an address, a phone number or a name. */
export function wholesOf(question: string): string[] {
  const phone = phoneIn(question);
  return [fold(question.trim()), joined(question), ...(phone ? [phone] : [])].map(asWhole);
}

/** The digits of a question that is a phone number, however it is written. */
export function phoneIn(question: string): string | undefined {
  const digits = digitsOf(question);
  return /^[\s+().\d/-]+$/.test(question) && digits.length >= 7 ? digits.slice(0, 32) : undefined;
}

function joined(text: string): string {
  return wordsOf(text)
    .map(({ term }) => term)
    .join(' ');
}

function asWhole(text: string): string {
  return `${wholeMark}${text}`.slice(0, wholeLengthMax).toWellFormed();
}
