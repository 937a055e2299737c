import type { searches } from '@tandem/search-contract';
import type { Handler, Tools } from '../../handler.ts';
import { questionVectorFor } from '../embeddings/question-vectors.ts';
import { allOf, equal } from './conditions.ts';
import { noteOmitted } from './omitted.ts';
import { ownersFor } from './owners.ts';
import { searchPage } from './search-page.ts';
import { typoFor } from './typo.ts';

export const searchPartners =
  (tools: Tools): Handler<typeof searches.searchPartners> =>
  async ({ query, caller, tx, schedule, missing }) => {
    const typo = await typoFor(tools, caller, query.typo);
    const filter = allOf([equal('tier', query.tier), equal('status', query.status)]);
    const owners = ownersFor('partner', caller, tools);
    noteOmitted(query.q, { missing });
    const vector = await questionVectorFor(tools, { tx, caller, schedule, missing }, query);
    const within = { type: 'partner', filter, owners, vector } as const;
    return searchPage(tools, { tx, caller, schedule }, { ...query, typo }, within);
  };
