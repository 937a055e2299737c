import type { searches } from '@tandem/search-contract';
import type { Handler, Tools } from '../../handler.ts';
import { ownersFor } from './owners.ts';
import { searchPage } from './search-page.ts';

export const searchPartners =
  (tools: Tools): Handler<typeof searches.searchPartners> =>
  ({ query, caller, tx, schedule }) => {
    const { tier, status } = query;
    return searchPage(
      { tx, schedule, query, caller, totals: tools.totals },
      {
        type: 'partner',
        filter: { tier, status, owners: ownersFor('partner', caller, tools) },
      },
    );
  };
