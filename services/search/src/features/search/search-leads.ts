import type { searches } from '@tandem/search-contract';
import type { Handler, Tools } from '../../handler.ts';
import { allOf, equal } from './conditions.ts';
import { ownersFor } from './owners.ts';
import { searchPage } from './search-page.ts';
import { typoFor } from './typo.ts';

export const searchLeads =
  (tools: Tools): Handler<typeof searches.searchLeads> =>
  async ({ query, caller, tx, schedule }) => {
    const typo = await typoFor(tools, caller, query.typo);
    const { assignedTo, minScore, createdFrom, createdTo } = query;
    const assignee = assignedTo === undefined ? undefined : tools.ids.encode('user', caller.tenantId ?? 0, assignedTo);
    const filter = allOf([
      equal('status', query.status),
      equal('source', query.source),
      equal('assignedTo', assignee),
      minScore !== undefined && { field: 'score', op: 'gte', value: minScore },
      createdFrom && { field: 'createdAt', op: 'gte', value: createdFrom },
      createdTo && { field: 'createdAt', op: 'lte', value: createdTo },
    ]);
    const within = { type: 'lead', filter, owners: ownersFor('lead', caller, tools) } as const;
    return searchPage(tools, { tx, caller, schedule }, { ...query, typo }, within);
  };
