import type { duplicates } from '@tandem/search-contract';
import { reindexIfOutdated } from '../../driver/postgres/reindex-documents.job.ts';
import type { Handler, Tools } from '../../handler.ts';
import { asPairs } from './record-pair.ts';
import { visiblePairs } from './visible-pairs.ts';

export const listDuplicates =
  (tools: Tools): Handler<typeof duplicates.listDuplicates> =>
  async ({ query: { type, level, status }, tx, list, caller, schedule }) => {
    const where = { ...visiblePairs(tools, caller, { type }), status, ...(level && { level }) };
    // Documents of an earlier form have not been compared.
    await reindexIfOutdated(tx, schedule);
    const page = await list({ model: tx.duplicatePair, where });
    return { ...page, items: await asPairs(tools, tx, page.items) };
  };
