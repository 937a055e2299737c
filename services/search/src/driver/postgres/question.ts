import type { Tx } from '../../database.ts';
import { phoneIn, wholesOf } from '../../fields.ts';
import { canBeMisspelt, formsOf, isOneErrorApart, wordsOf } from '../../words.ts';
import type { Asked } from '../driver.ts';
import type { Question } from '../question.ts';

const wordsMax = 10;
const alikeMax = 20;
const lastCharacter = '\u{10FFFF}';

/** Reads a question, and looks up the words of the index that differ from its words by one typing error. */
export async function readQuestion(tx: Tx, { index, ...asked }: Asked): Promise<Question> {
  const phone = asked.isNoPhone ? undefined : phoneIn(asked.q);
  const terms = phone ? [phone] : [...new Set(wordsOf(asked.q).map(({ term }) => term))].slice(0, wordsMax);
  const known = asked.typo === 'auto' ? await similarWords(tx, index, terms.filter(canBeMisspelt)) : [];
  const words = terms.map((term) => {
    const alike = canBeMisspelt(term) ? known.filter((word) => isOneErrorApart(term, word)) : [];
    return { low: term, high: `${term}${lastCharacter}`, alike: alike.slice(0, alikeMax) };
  });
  return { words, isPhone: phone !== undefined, isExact: asked.typo === 'off', wholes: wholesOf(asked.q) };
}

/** Words of the index that share a form with one of these: all that are one error away, and some that are two. */
async function similarWords(tx: Tx, index: string, terms: string[]): Promise<string[]> {
  if (!terms.length) return [];
  const forms = terms.flatMap(formsOf);
  const rows = await tx.sql<{ word: string }>`
    SELECT DISTINCT word FROM spelling WHERE type = ${index} AND form = ANY(${forms}::text[]) ORDER BY word LIMIT 500`;
  return rows.map(({ word }) => word);
}
