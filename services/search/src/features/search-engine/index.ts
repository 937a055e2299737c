import type { internalSearchEngine } from '@tandem/search-contract';
import type { Handlers } from '@tandem/service';
import type { OpenSearch } from '../../driver/opensearch/client.ts';
import type { Tx } from '../../handler.ts';
import { getSearchEngine } from './get-search-engine.ts';
import { setSearchEngine } from './set-search-engine.ts';

/** What answers the searches of a tenant: PostgreSQL, or OpenSearch. */
export const searchEngineHandlers = (server: OpenSearch | undefined) =>
  ({ setSearchEngine: setSearchEngine(server), getSearchEngine }) satisfies Handlers<typeof internalSearchEngine, Tx>;
