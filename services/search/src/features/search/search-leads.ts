import type { searches } from '@tandem/search-contract';
import type { Handler, Tools } from '../../handler.ts';
import { ownersFor } from './owners.ts';
import { searchPage } from './search-page.ts';
import { typoFor } from './typo.ts';

export const searchLeads =
  (tools: Tools): Handler<typeof searches.searchLeads> =>
  async ({ query, caller, tx, schedule }) => {
    const typo = await typoFor(tools, caller, query.typo);
    const { status, source, assignedTo, minScore, createdFrom, createdTo } = query;
    const assignee = assignedTo === undefined ? undefined : tools.ids.encode('user', caller.tenantId ?? 0, assignedTo);
    const filter = { status, source, assignedTo: assignee, minScore, createdFrom, createdTo };
    return searchPage(
      tools,
      { tx, schedule, query: { ...query, typo }, caller },
      { type: 'lead', filter: { ...filter, owners: ownersFor('lead', caller, tools) } },
    );
  };
