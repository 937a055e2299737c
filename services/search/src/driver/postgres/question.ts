import type { Tx } from '../../database.ts';
import { phoneIn, wholesOf } from '../../fields.ts';
import { canBeMisspelt, formsOf, isOneErrorApart, misspeltBeginnings, wordsOf } from '../../words.ts';
import { beginningWith, rangesOfTerms } from '../conditions.ts';
import type { Asked } from '../driver.ts';
import { type Question, wordsMax } from '../question.ts';
import { type Size, sizesStatement } from './statements.ts';

const alikeMax = 20;
// Rows of spellings that are read: a word of four letters has some hundreds at most.
const spellingsMax = 5_000;
// How many words are counted, and up to how many documents of each.
const countedMax = 200;
const documentsMax = 100;
// Beginnings that are looked up: one of 20 letters has about a thousand forms.
const beginningMax = 20;

/** Reads a question, and looks up the words of the index that differ from its words by one typing error. */
export async function readQuestion(tx: Tx, { index, ...asked }: Asked): Promise<Question> {
  const phone = asked.isNoPhone ? undefined : phoneIn(asked.q);
  const terms = phone ? [phone] : [...new Set(wordsOf(asked.q).map(({ term }) => term))].slice(0, wordsMax);
  const known = asked.typo === 'auto' ? await similarWords(tx, index, terms.filter(canBeMisspelt)) : [];
  const words = [];
  for (const term of terms) {
    const alike = canBeMisspelt(term) ? known.filter((word) => isOneErrorApart(term, word)) : [];
    const isBegun = asked.isUnfinished && term === terms.at(-1);
    const alikeBeginnings = isBegun ? await similarBeginnings(tx, index, term) : [];
    words.push({ ...beginningWith(term), alike: await mostFrequent(tx, index, alike), alikeBeginnings });
  }
  return { words, isPhone: phone !== undefined, isExact: asked.typo === 'off', wholes: wholesOf(asked.q) };
}

/** Words of the index that share a form with one of these: all that are one error away, and some that are two. */
async function similarWords(tx: Tx, index: string, terms: string[]): Promise<string[]> {
  if (!terms.length) return [];
  const forms = terms.flatMap(formsOf);
  const rows = await tx.sql<{ word: string }>`
    SELECT DISTINCT word FROM (SELECT word FROM spelling WHERE type = ${index} AND form = ANY(${forms}::text[])
      LIMIT ${spellingsMax}::int) AS spelled ORDER BY word`;
  return rows.map(({ word }) => word);
}

/**
 * Beginnings of words of the index that differ from this one by one typing error, those of the most documents first. Its last
 * letter counts as wrong only if no word begins with it.
 */
async function similarBeginnings(tx: Tx, index: string, begun: string): Promise<string[]> {
  const letters = [...begun];
  if (!canBeMisspelt(begun) || letters.length > beginningMax) return [];
  const others = misspeltBeginnings(begun);
  const conditions = [begun, ...others].map((one) => ({
    ranges: [{ ...beginningWith(one), points: 0 }],
    isFilter: false,
  }));
  const sizes = await sizesStatement<Promise<Size[]>>(tx.sql, { index, conditions, sizeMax: documentsMax });
  const isKnown = sizes.some(({ n, size }) => n === 0 && size > 0);
  const withoutLast = letters.slice(0, -1).join('');
  return sizes
    .toSorted((one, other) => other.size - one.size || one.n - other.n)
    .flatMap(({ n, size }) => (n > 0 && size > 0 ? [others[n - 1] as string] : []))
    .filter((one) => !isKnown || one !== withoutLast)
    .slice(0, alikeMax);
}

/** The words that most documents have: of a short word, more than are searched for may be one error away. */
async function mostFrequent(tx: Tx, index: string, words: string[]): Promise<string[]> {
  if (words.length <= alikeMax) return words;
  const counted = words.slice(0, countedMax);
  const conditions = counted.map((word) => ({ ranges: rangesOfTerms([word]), isFilter: false }));
  const sizes = await sizesStatement<Promise<Size[]>>(tx.sql, { index, conditions, sizeMax: documentsMax });
  return sizes
    .toSorted((one, other) => other.size - one.size || one.n - other.n)
    .slice(0, alikeMax)
    .map(({ n }) => counted[n] as string);
}
