import type { Schedule } from '@tandem/jobs';
import { type searches, searchFields } from '@tandem/search-contract';
import { failField, type PageResult } from '@tandem/service';
import type { QuestionVector } from '../../embedding/question-vector.ts';
import type { Handler, Tools } from '../../handler.ts';
import type { SearchedType } from '../documents/document.ts';
import { useQuestionVector } from '../embeddings/question-vectors.ts';
import { noteOmitted } from './omitted.ts';
import { ownersFor } from './owners.ts';
import { readFilter } from './read-filter.ts';
import { type Hit, searchPage } from './search-page.ts';
import { typoFor } from './typo.ts';

const typeOf = { leads: 'lead', opportunities: 'opportunity', partners: 'partner' } as const;

interface Found {
  page: PageResult<Hit>;
  question: QuestionVector;
  /** Jobs that the search wants. */
  wanted: Parameters<Schedule>[];
}

export const searchDocuments = (tools: Tools): Handler<typeof searches.searchDocuments, Found> => ({
  // Before the transaction that every POST has: the AI provider and OpenSearch may be asked.
  async check({ params, body, caller, tx }) {
    const type = typeOf[params.type];
    const owners = ownersFor(type, caller, tools);
    checkFields(type, body);
    const { tenantId = 0 } = caller;
    const filter = body.filter && readFilter(body.filter, { type, ids: tools.ids, tenantId });
    const typo = await typoFor(tools, caller, body.typo);
    const question = await tools.questionVectors.ask({ tx, caller }, body);
    const wanted: Found['wanted'] = [];
    const schedule: Schedule = async (...job) => void wanted.push(job);
    const within = { type, filter, owners, vector: question.vector };
    return { page: await searchPage(tools, { tx, caller, schedule }, { ...body, typo }, within), question, wanted };
  },
  async run({ body, schedule, missing, found: { page, question, wanted } }) {
    noteOmitted(body.q, { missing });
    await useQuestionVector(question, { missing, schedule });
    for (const job of wanted) await schedule(...job);
    return page;
  },
});

/** @throws ApiError 422 for a field that documents of the type do not have */
function checkFields(type: SearchedType, { sort, facets = [] }: { sort: string; facets?: string[] | undefined }): void {
  const known = searchFields[type];
  const sorts = ['relevance', ...known.sorts.flatMap((field) => [field, `-${field}`])];
  if (!sorts.includes(sort)) throw failField('sort', `Must be one of ${sorts.join(', ')}`);
  const names: readonly string[] = known.facets;
  const unknown = facets.findIndex((field) => !names.includes(field));
  if (unknown >= 0) throw failField(`facets.${unknown}`, `Must be one of ${names.join(', ')}`);
}
