import type { internalSearchEngine } from '@tandem/search-contract';
import { fail } from '@tandem/service';
import type { OpenSearch } from '../../driver/opensearch/client.ts';
import { excludeWriters } from '../../driver/postgres/generations.ts';
import type { Handler } from '../../handler.ts';
import { beginFilling, statusOf } from './engine.ts';
import { sendDocumentsJob } from './send-documents.job.ts';

/**
 * Chooses what answers the searches of a tenant and environment. OpenSearch does once it has all documents; PostgreSQL, whose
 * index has them always, does at once.
 */
export const setSearchEngine =
  (server: OpenSearch | undefined): Handler<typeof internalSearchEngine.setSearchEngine> =>
  async ({ body: { engine }, caller, tx, schedule }) => {
    if (caller.tenantId === undefined) throw fail('not_found');
    if (engine === 'opensearch') {
      if (!server) throw fail('search_engine_missing');
      if (await beginFilling(tx)) await schedule(sendDocumentsJob, [{}]);
    } else {
      await excludeWriters(tx);
      await tx.sql`UPDATE search_engine SET state = 'leaving', filled_to = NULL`;
    }
    return statusOf(tx);
  };
