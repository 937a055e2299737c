import { createHash } from 'node:crypto';
import { idTypeOf, unwrap } from '@tandem/contract';
import { Lead, Opportunity } from '@tandem/crm-contract';
import { factsOf, keysOf, type MatchKind, matchKinds, misspeltMailboxes } from '@tandem/matching';
import { Partner } from '@tandem/partner-contract';
import type { z } from 'zod';
import type { DocumentType } from './driver/document.ts';
import { facetTerm, keyTerm, numberTerm, timeTerm, wholeTerm } from './terms.ts';
import { digitsOf, fold, type Word, wordsOf } from './words.ts';

/** A text field of a document: its path, its words, and how much a match in it counts. */
export interface Field {
  path: string;
  text: string;
  words: Word[];
  weight: number;
}

// Results are filtered by these fields. As words they would match most records: "new" would find every lead.
export const textFacets = ['status', 'source', 'stage', 'tier', 'currency', 'assignedTo'] as const;
export const valueFacets = ['score', 'value'] as const;
export const timeFacets = ['createdAt'] as const;
// Paths of records of this API that hold ids, times, enum values or numbers. Only the schema distinguishes them from text
// of customers, such as an externalId or a custom field of any name.
const withoutText = new Set<string>([
  ...textFacets,
  ...[Lead, Opportunity, Partner].flatMap((record) => pathsWithoutText(record)),
]);
const weights: [RegExp, number][] = [
  [/^(title|(first|middle|last|full|display)?name|e-?mail(address)?|(mobile)?phone(number)?|mobile)$/i, 4],
  [/^(company|organi[sz]ation)(name)?$/i, 2],
];
const phoneName = /phone|mobile/i;
const emailName = /e-?mail/i;
const fullName = /^(title|(full|display)?name)$/i;
const termsMax = 500;
// Records with an address and no name have pairs by the address alone, which documents before v6 were not compared for.
const rulesForAddresses = 'v6:';

/** The text fields of a document that can be searched, nested ones included. */
export function fieldsOf(document: Record<string, unknown>): Field[] {
  const fields: Field[] = [];
  const visit = (value: unknown, name: string, path: string) => {
    if (withoutText.has(path)) return;
    if (typeof value === 'string') fields.push(asField(value, name, path));
    else if (Array.isArray(value)) for (const one of value) visit(one, name, path);
    else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) visit(inner, key, path ? `${path}.${key}` : key);
  };
  visit(document, '', '');
  return fields;
}

/** Whether a field has an e-mail address or a phone number, by its name. */
export function isContactField(path: string): boolean {
  const name = path.split('.').at(-1) ?? '';
  return emailName.test(name) || phoneName.test(name);
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

/**
 * The terms of a document with their weights: its words, its addresses, phone numbers and names as wholes, the fields
 * by which results are filtered, and the keys of possible duplicates. Terms that are no words have the weight 0.
 */
export function termsOf(document: Record<string, unknown>, type: DocumentType): Map<string, number> {
  const fields = fieldsOf(document).sort((a, b) => b.weight - a.weight);
  const terms = new Map(wholesIn(document, fields).map((whole) => [whole, 0]));
  for (const { words, weight } of fields)
    for (const { term } of words) if (terms.size < termsMax && !terms.has(term)) terms.set(term, weight);
  for (const field of textFacets) {
    const value = shortText(document[field]);
    if (value !== null) terms.set(facetTerm(field, value), 0);
  }
  for (const field of valueFacets) {
    const value = document[field];
    if (typeof value === 'number') terms.set(numberTerm(field, value), 0);
  }
  const createdAt = timeIn(document['createdAt']);
  if (createdAt) terms.set(timeTerm('createdAt', createdAt), 0);
  for (const term of matchTerms(type, document)) terms.set(term, 0);
  const sortName = sortNameOf(document);
  if (sortName) terms.set(facetTerm('name', sortName), 0);
  return terms;
}

/** The terms by which possible duplicates of a document are found; none for types that have no duplicates. */
export function matchTerms(type: DocumentType, document: object): string[] {
  const keys = isMatched(type) ? Object.entries(keysOf(type, document)) : [];
  return keys.flatMap(([name, value]) => (value ? [keyTerm(name, value)] : []));
}

/** The terms of documents whose address differs from that of a record by a typo. */
export function misspeltTerms(type: MatchKind, document: object): string[] {
  return misspeltMailboxes(type, document).map((mailbox) => keyTerm('mailbox', mailbox));
}

/** A digest of what a document is compared by; null for types that have no duplicates. Most changes of a record leave it as it is. */
export function factsDigest(type: DocumentType, document: object): string | null {
  if (!isMatched(type)) return null;
  const facts = factsOf(type, document);
  const rules = type !== 'account' && facts.email && !facts.name ? rulesForAddresses : '';
  return createHash('sha256')
    .update(`${rules}${JSON.stringify(facts)}`)
    .digest('base64');
}

/** Whether documents of a type are compared with each other. */
export function isMatched(type: DocumentType): type is MatchKind {
  return matchKinds.some((kind) => kind === type);
}

/** The text of a field that results are filtered by; null when it has another form than in records. */
export function shortText(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, 64).toWellFormed() : null;
}

/** The time in a field; undefined when it is none, or one that PostgreSQL would write in another way. */
export function timeIn(value: unknown): Date | undefined {
  const time = typeof value === 'string' ? new Date(value) : undefined;
  const year = time?.getUTCFullYear();
  // PostgreSQL has no year 0, and writes years of five digits in another way.
  return time && year && year > 0 && year < 10_000 ? time : undefined;
}

/** The name that documents are sorted by: of a person, or else of a company. */
function sortNameOf(document: Record<string, unknown>): string {
  const { firstName, lastName, name, title, company } = document;
  const person = [lastName, firstName].filter((part) => typeof part === 'string').join(' ');
  const first = [name, person, title, company].find((one) => typeof one === 'string' && one.trim() !== '');
  return joined(typeof first === 'string' ? first.slice(0, 200) : '');
}

function wholesIn({ firstName, lastName }: Record<string, unknown>, fields: Field[]): string[] {
  const name = [firstName, lastName].filter((part) => typeof part === 'string').join(' ');
  const own = fields.flatMap(({ path, text }) => {
    const last = path.split('.').at(-1) ?? '';
    if (emailName.test(last)) return [fold(text.trim())];
    if (phoneName.test(last)) return [digitsOf(text)];
    return fullName.test(last) ? [joined(text)] : [];
  });
  return [...own.slice(0, 20), joined(name)].filter((whole) => whole !== '').map(wholeTerm);
}

/** The terms for a question as a whole: as an address, a name and a phone number. */
export function wholesOf(question: string): string[] {
  const phone = phoneIn(question);
  return [fold(question.trim()), joined(question), ...(phone ? [phone] : [])].map(wholeTerm);
}

/** The digits of a question that looks like a phone number, whatever separators it has; undefined for other questions. */
export function phoneIn(question: string): string | undefined {
  const digits = digitsOf(question);
  return /^[\s+().\d/-]+$/.test(question) && digits.length >= 7 ? digits.slice(0, 32) : undefined;
}

function joined(text: string): string {
  return wordsOf(text)
    .map(({ term }) => term)
    .join(' ');
}

/** Whether a question is an e-mail address or a phone number: it means nothing, and is found by its text. */
export function isContact(q: string): boolean {
  return q.includes('@') || phoneIn(q) !== undefined;
}
