import { inTurns } from '@tandem/process';
import { documentTypes, type Suggestion, type searches } from '@tandem/search-contract';
import type { z } from 'zod';
import type { Hit } from '../../driver/driver.ts';
import type { Question } from '../../driver/question.ts';
import type { Handler, Tools } from '../../handler.ts';
import { highlight, matchesIn } from './highlight.ts';
import { mayRead, ownersFor } from './owners.ts';
import { typoFor } from './typo.ts';

const charactersMin = 2;
const personFields = ['firstName', 'lastName'];

export const autocomplete =
  (tools: Tools): Handler<typeof searches.autocomplete> =>
  async ({ query: { q, type, limit }, caller, tx }) => {
    if ([...q.trim()].length < charactersMin) return [];
    const typo = await typoFor(tools, caller);
    const found = await Promise.all(
      (type ? [type] : documentTypes.filter((one) => mayRead(one, caller))).map(async (one) => {
        const filter = { owners: ownersFor(one, caller, tools) };
        const { question, hits } = await tools.driver.suggest(tx, { type: one, q, typo, filter }, limit);
        return hits.map((hit) => ({ hit, question }));
      }),
    );
    const best = found
      .flat()
      .sort((a, b) => b.hit.score - a.hit.score)
      .slice(0, limit);
    return inTurns(best, ({ hit, question }) => asSuggestion(hit, question));
  };

/** The text that matches best. For a person's first or last name it is the whole name. */
function asSuggestion({ type, documentId, document: json }: Hit, question: Question): z.output<typeof Suggestion> {
  const document = JSON.parse(json) as Record<string, unknown>;
  const [best] = matchesIn(document, question);
  const suggested = { type, id: documentId };
  const text = personFields
    .map((field) => document[field])
    .filter((part) => typeof part === 'string')
    .join(' ');
  if (best && !(text && personFields.includes(best.path)))
    return { ...suggested, text: best.text, highlight: best.html, field: best.path };
  const name = highlight(text, question);
  return { ...suggested, text: name.text, highlight: name.html, field: 'name' };
}
