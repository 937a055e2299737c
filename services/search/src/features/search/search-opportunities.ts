import type { searches } from '@tandem/search-contract';
import type { Handler, Tools } from '../../handler.ts';
import { ownersFor } from './owners.ts';
import { searchPage } from './search-page.ts';
import { typoFor } from './typo.ts';

export const searchOpportunities =
  (tools: Tools): Handler<typeof searches.searchOpportunities> =>
  async ({ query, caller, tx, schedule }) => {
    const typo = await typoFor(tools, caller, query.typo);
    const { stage, minValue, maxValue, currency } = query;
    const owners = ownersFor('opportunity', caller, tools);
    return searchPage(
      tools,
      { tx, schedule, query: { ...query, typo }, caller },
      { type: 'opportunity', filter: { stage, minValue, maxValue, currency, owners } },
    );
  };
