import { type searches, searchFields } from '@tandem/search-contract';
import { failField } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import type { SearchedType } from '../documents/document.ts';
import { ownersFor } from './owners.ts';
import { readFilter } from './read-filter.ts';
import { searchPage } from './search-page.ts';
import { typoFor } from './typo.ts';

const typeOf = { leads: 'lead', opportunities: 'opportunity', partners: 'partner' } as const;

export const searchDocuments =
  (tools: Tools): Handler<typeof searches.searchDocuments> =>
  async ({ params, body, caller, tx, schedule }) => {
    const type = typeOf[params.type];
    const owners = ownersFor(type, caller, tools);
    checkFields(type, body);
    const typo = await typoFor(tools, caller, body.typo);
    const filter = body.filter && readFilter(body.filter, type);
    return searchPage(tools, { tx, caller, schedule }, { ...body, typo }, { type, filter, owners });
  };

/** @throws ApiError 422 for a field that documents of the type do not have */
function checkFields(type: SearchedType, { sort, facets = [] }: { sort: string; facets?: string[] | undefined }): void {
  const known = searchFields[type];
  const sorts = ['relevance', ...known.sorts.flatMap((field) => [field, `-${field}`])];
  if (!sorts.includes(sort)) throw failField('sort', `Must be one of ${sorts.join(', ')}`);
  const names: readonly string[] = known.facets;
  const unknown = facets.findIndex((field) => !names.includes(field));
  if (unknown >= 0) throw failField(`facets.${unknown}`, `Must be one of ${names.join(', ')}`);
}
