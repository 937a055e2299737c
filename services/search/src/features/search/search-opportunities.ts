import type { searches } from '@tandem/search-contract';
import type { Handler, Tools } from '../../handler.ts';
import { questionVectorFor } from '../embeddings/question-vectors.ts';
import { allOf, checkInterval, equal } from './conditions.ts';
import { noteOmitted } from './omitted.ts';
import { ownersFor } from './owners.ts';
import { searchPage } from './search-page.ts';
import { typoFor } from './typo.ts';

export const searchOpportunities =
  (tools: Tools): Handler<typeof searches.searchOpportunities> =>
  async ({ query, caller, tx, schedule, missing }) => {
    checkInterval(query, 'minValue', 'maxValue');
    const typo = await typoFor(tools, caller, query.typo);
    const { minValue, maxValue } = query;
    const filter = allOf([
      equal('stage', query.stage),
      equal('currency', query.currency),
      minValue !== undefined && { field: 'value', op: 'gte', value: minValue },
      maxValue !== undefined && { field: 'value', op: 'lte', value: maxValue },
    ]);
    const owners = ownersFor('opportunity', caller, tools);
    noteOmitted(query.q, { missing });
    const vector = await questionVectorFor(tools, { tx, caller, schedule, missing }, query);
    const within = { type: 'opportunity', filter, owners, vector } as const;
    return searchPage(tools, { tx, caller, schedule }, { ...query, typo }, within);
  };
