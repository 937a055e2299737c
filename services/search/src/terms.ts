import { createHash } from 'node:crypto';

// Every term of a document is a row of `posting`. A word consists of letters and digits, so a term that begins with one
// of these marks is never a word, nor the beginning of one.
const wholeMark = '=';
const facetMark = '#';
const keyMark = '~';
const bucketMark = '@';
const termLengthMax = 255;

/**
 * The form of the index: the digest of a document's terms begins with it. Documents with another form lack terms,
 * vectors or the digest of what duplicates are found by; `reindexDocuments` writes them again. Change it together with the index document_outdated_v6_idx.
 */
export const indexForm = 'v6:';

/** The term for an e-mail address, phone number or full name as a whole. */
export function wholeTerm(text: string): string {
  return `${wholeMark}${text}`.slice(0, termLengthMax).toWellFormed();
}

/** The term for a key by which possible duplicates are found. */
export function keyTerm(name: string, value: string): string {
  return `${keyMark}${name}=${value}`.slice(0, termLengthMax).toWellFormed();
}

/** The beginning of the terms of vectors that a model made: similar vectors probably share one. */
export function bucketTerm(modelKey: string, bucket: string): string {
  return `${bucketMark}${modelKey}.${bucket}`;
}

/** Whether a term is a key by which possible duplicates are found. */
export function isKeyTerm(term: string): boolean {
  return term.startsWith(keyMark);
}

/** The term for a field that results are filtered by; `owner` is one of the users and teams that a document belongs to. */
export function facetTerm(field: string, value: string): string {
  return `${facetMark}${field}=${value}`.slice(0, termLengthMax).toWellFormed();
}

/** The term for a number that results are filtered by. Terms of one field have the order of their numbers. */
export function numberTerm(field: string, value: number): string {
  return facetTerm(field, sortableNumber(value));
}

/** The term for a time that results are filtered by. Terms of one field have the order of their times. */
export function timeTerm(field: string, value: Date): string {
  return facetTerm(field, value.toISOString());
}

/** A text of 16 hexadecimal digits: the bits of the number, changed so that texts have the order of the numbers. */
function sortableNumber(value: number): string {
  const bytes = new DataView(new ArrayBuffer(8));
  // Minus zero equals zero, so both have one text.
  bytes.setFloat64(0, value === 0 ? 0 : value);
  const bits = bytes.getBigUint64(0);
  const sign = 1n << 63n;
  const sortable = bits & sign ? BigInt.asUintN(64, ~bits) : bits | sign;
  return sortable.toString(16).padStart(16, '0');
}

/** The digest of a document's terms: most changes of a record leave its terms as they are. */
export function digestOf(terms: Map<string, number>): string {
  return `${indexForm}${createHash('sha256')
    .update(JSON.stringify([...terms]))
    .digest('base64')}`;
}
