import { phoneIn, wholesOf } from '../../fields.ts';
import type { Tx } from '../../handler.ts';
import { formsOf, isOneErrorApart, mayBeMisspelt, wordsOf } from '../../words.ts';
import type { DocumentType } from '../documents/document.ts';

/** A word that is looked for: from `low` on up to `high` stand the words that begin with it. */
export interface Wanted {
  low: string;
  high: string;
  /** Words that it may be a misspelling of. */
  alike: string[];
}

/** What somebody looks for. */
export interface Question {
  words: Wanted[];
  /** Whether the only word is the digits of what looks like a phone number. */
  isPhone: boolean;
  wholes: string[];
}

const wordsMax = 10;
const alikeMax = 20;
const lastCharacter = '\u{10FFFF}';

/**
 * Reads a question; which words of the index are one typing error away, the index knows.
 * @param given.isNoPhone when the digits of what looks like a phone number are words like others
 */
export async function readQuestion(
  tx: Tx,
  type: DocumentType,
  given: { q: string; typo: 'auto' | 'off'; isNoPhone?: boolean },
): Promise<Question> {
  const phone = given.isNoPhone ? undefined : phoneIn(given.q);
  const terms = phone ? [phone] : [...new Set(wordsOf(given.q).map(({ term }) => term))].slice(0, wordsMax);
  const known = given.typo === 'auto' ? await neighbours(tx, type, terms.filter(mayBeMisspelt)) : [];
  const words = terms.map((term) => {
    const alike = mayBeMisspelt(term) ? known.filter((word) => isOneErrorApart(term, word)) : [];
    return { low: term, high: `${term}${lastCharacter}`, alike: alike.slice(0, alikeMax) };
  });
  return { words, isPhone: phone !== undefined, wholes: wholesOf(given.q) };
}

/** Words of the index that share a form with one of these: all that are one error away, and a few that are two. */
async function neighbours(tx: Tx, type: DocumentType, terms: string[]): Promise<string[]> {
  if (!terms.length) return [];
  const forms = terms.flatMap(formsOf);
  const rows = await tx.sql<{ word: string }>`
    SELECT DISTINCT word FROM spelling WHERE type = ${type} AND form = ANY(${forms}::text[]) ORDER BY word LIMIT 500`;
  return rows.map(({ word }) => word);
}
