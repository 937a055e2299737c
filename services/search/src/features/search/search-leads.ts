import type { searches } from '@tandem/search-contract';
import type { Handler, Tools } from '../../handler.ts';
import { questionVectorFor } from '../embeddings/question-vectors.ts';
import { allOf, checkInterval, equal } from './conditions.ts';
import { noteOmitted } from './omitted.ts';
import { ownersFor } from './owners.ts';
import { searchPage } from './search-page.ts';
import { typoFor } from './typo.ts';

export const searchLeads =
  (tools: Tools): Handler<typeof searches.searchLeads> =>
  async ({ query, caller, tx, schedule, missing }) => {
    checkInterval(query, 'createdFrom', 'createdTo');
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
    const owners = ownersFor('lead', caller, tools);
    noteOmitted(query.q, { missing });
    const vector = await questionVectorFor(tools, { tx, caller, schedule, missing }, query);
    const within = { type: 'lead', filter, owners, vector } as const;
    return searchPage(tools, { tx, caller, schedule }, { ...query, typo }, within);
  };
