import { inTurns } from '@tandem/process';
import { documentTypes, type Suggestion, type searches } from '@tandem/search-contract';
import type { z } from 'zod';
import type { Match } from '../../driver/driver.ts';
import type { Question } from '../../driver/question.ts';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { highlight, matchesIn } from './highlight.ts';
import { mayRead, ownersFor } from './owners.ts';
import { readStored } from './stored.ts';
import { typoFor } from './typo.ts';

const charactersMin = 2;
const personFields = ['firstName', 'lastName'];
// Documents that are read for one suggestion of a field: others match in other fields.
const readFactor = 10;
const readMax = 100;

type Suggested = z.output<typeof Suggestion>;
type Found = Match & { document: Record<string, unknown>; type: Suggested['type']; id: string; question: Question };

export const autocomplete =
  (tools: Tools): Handler<typeof searches.autocomplete> =>
  async ({ query: { q, type, field, limit }, caller, tx }) => {
    if ([...q.trim()].length < charactersMin) return [];
    const typo = await typoFor(tools, caller);
    const types = type ? [type] : documentTypes.filter((one) => mayRead(one, caller));
    const many = field ? Math.min(limit * readFactor, readMax) : limit;
    const found = await Promise.all(
      types.map(async (one) => {
        const owners = ownersFor(one, caller, tools);
        return findSuggestions(tools, tx, { type: one, q, typo, owners, limit: many });
      }),
    );
    const best = found.flat().sort((a, b) => b.score - a.score);
    const suggested = await inTurns(field ? best : best.slice(0, limit), (one) => asSuggestion(one, field));
    return suggested.filter((one) => one !== undefined).slice(0, limit);
  };

async function findSuggestions(
  { searchedBy }: Tools,
  tx: Tx,
  asked: { type: Suggested['type']; q: string; typo: 'auto' | 'off'; owners: string[] | undefined; limit: number },
): Promise<Found[]> {
  const { type, owners, limit } = asked;
  const driver = await searchedBy(tx);
  const index = await driver.index(tx, type);
  const read = { index, q: asked.q, typo: asked.typo };
  const find = async (question: Question) => ({
    question,
    hits: await driver.suggest(tx, { type, index, owners, question }, limit),
  });
  let found = await find(await driver.read(tx, read));
  if (!found.hits.length && found.question.isPhone)
    found = await find(await driver.read(tx, { ...read, isNoPhone: true }));
  const { question, hits } = found;
  const stored = await readStored(
    tx,
    hits.map(({ key }) => key),
  );
  return hits.flatMap((hit) => {
    const one = stored.get(hit.key);
    return one ? [{ ...hit, type, id: one.documentId, document: JSON.parse(one.document), question }] : [];
  });
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
