import { inTurns } from '@tandem/process';
import { documentTypes, type Suggestion, type searches } from '@tandem/search-contract';
import type { z } from 'zod';
import type { Match, Search, Suggesting } from '../../driver/driver.ts';
import type { Question } from '../../driver/question.ts';
import { fieldsOf } from '../../fields.ts';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { highlight, matchesIn } from './highlight.ts';
import { noteOmitted } from './omitted.ts';
import { mayRead, ownersFor } from './owners.ts';
import { readStored } from './stored.ts';
import { type Typo, typoFor } from './typo.ts';

const charactersMin = 2;
const personFields = ['firstName', 'lastName'];
// Documents that are read for suggestions of a field, a part at a time: others match in other fields.
const readMax = 500;
const partMax = 100;
const highestWeight = 4;

type Suggested = z.output<typeof Suggestion>;
type Found = Match & { document: Record<string, unknown>; type: Suggested['type']; id: string; question: Question };

export const autocomplete =
  (tools: Tools): Handler<typeof searches.autocomplete> =>
  async ({ query: { q, type, field, limit }, caller, tx, missing }) => {
    if ([...q.trim()].length < charactersMin) return [];
    noteOmitted(q, { missing });
    const typo = await typoFor(tools, caller);
    const types = type ? [type] : documentTypes.filter((one) => mayRead(one, caller));
    const found = await Promise.all(
      types.map(async (one) => {
        const owners = ownersFor(one, caller, tools);
        return findSuggestions(tools, tx, { type: one, q, typo, owners, field, limit });
      }),
    );
    const best = found.flat().sort((a, b) => b.score - a.score);
    const suggested = await inTurns(best.slice(0, limit), (one) => asSuggestion(one, field));
    return suggested.filter((one) => one !== undefined);
  };

async function findSuggestions(
  { searchedBy }: Tools,
  tx: Tx,
  asked: Pick<Search, 'owners'> &
    Pick<Suggested, 'type'> & { q: string; typo: Typo; field: string | undefined; limit: number },
): Promise<Found[]> {
  const { type, owners, field, limit } = asked;
  const driver = await searchedBy(tx);
  const index = await driver.index(tx, type);
  const read = { index, q: asked.q, typo: asked.typo };
  const find = async (question: Question): Promise<Found[]> => {
    const suggest = async (part: Suggesting) => {
      const hits = await driver.suggest(tx, { type, index, owners, question }, part);
      return readFound(tx, hits, { type, question });
    };
    return field === undefined ? suggest({ offset: 0, limit }) : findInField(suggest, field, limit);
  };
  const question = await driver.read(tx, read);
  let found = await find(question);
  // Matches of misspelt beginnings come after all others, and take hundreds of look-ups.
  if (found.length < limit && !question.isPhone && asked.typo === 'auto')
    found = await find(await driver.read(tx, { ...read, isUnfinished: true }));
  if (found.length || !question.isPhone) return found;
  return find(await driver.read(tx, { ...read, isNoPhone: true }));
}

async function readFound(tx: Tx, hits: Match[], common: Pick<Found, 'type' | 'question'>): Promise<Found[]> {
  const stored = await readStored(
    tx,
    hits.map(({ key }) => key),
  );
  return hits.flatMap((hit) => {
    const one = stored.get(hit.key);
    return one ? [{ ...hit, ...common, id: one.documentId, document: JSON.parse(one.document) }] : [];
  });
}

/**
 * The documents that match in a field, after others that match elsewhere. Those whose best match is of the weight of the field
 * are read first; a word that is also in a weightier field has the weight of that one.
 */
async function findInField(
  suggest: (part: Suggesting) => Promise<Found[]>,
  field: string,
  limit: number,
): Promise<Found[]> {
  const found = new Map<number, Found>();
  const own = weightOf(field);
  for (const weight of own === highestWeight ? [own] : [own, undefined])
    for (let offset = 0; offset < readMax && found.size < limit; offset += partMax) {
      const part = await suggest({ offset, limit: partMax, weight });
      if (!part.length) break;
      await inTurns(part, (one) => {
        if (asSuggestion(one, field)) found.set(one.key, one);
      });
    }
  return [...found.values()];
}

/** The weight of the words of a field, by its path. */
function weightOf(path: string): number | undefined {
  const document = path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), 'a');
  return fieldsOf(document as Record<string, unknown>)[0]?.weight;
}

/**
 * The text that matches best. For a person's first or last name it is the whole name.
 * @param field the field that it has to be of; undefined when the document does not match in it
 */
function asSuggestion({ type, id, document, question }: Found, field: string | undefined): Suggested | undefined {
  const matches = matchesIn(document, question);
  const name = personFields
    .map((one) => document[one])
    .filter((part) => typeof part === 'string')
    .join(' ');
  const fieldOf = (path: string) => (name && personFields.includes(path) ? 'name' : path);
  const best = field ? matches.find(({ path }) => path === field || fieldOf(path) === field) : matches[0];
  if (field && !best) return undefined;
  const isName = !best || (field !== best.path && fieldOf(best.path) === 'name' && name !== '');
  if (best && !isName) return { type, id, text: best.text, highlight: best.html, field: best.path };
  const whole = highlight(name, question);
  return { type, id, text: whole.text, highlight: whole.html, field: 'name' };
}
