import type { searches } from '@tandem/search-contract';
import type { Handler, Tools } from '../../handler.ts';
import { ownersFor } from './owners.ts';
import { searchPage } from './search-page.ts';
import { typoFor } from './typo.ts';

export const searchPartners =
  (tools: Tools): Handler<typeof searches.searchPartners> =>
  async ({ query, caller, tx, schedule }) => {
    const typo = await typoFor(tools, caller, query.typo);
    const { tier, status } = query;
    return searchPage(
      tools,
      { tx, schedule, query: { ...query, typo }, caller },
      {
        type: 'partner',
        filter: { tier, status, owners: ownersFor('partner', caller, tools) },
      },
    );
  };
