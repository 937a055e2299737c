import type { internalSearchEngine } from '@tandem/search-contract';
import type { Handlers } from '@tandem/service';
import type { OpenSearch } from '../../driver/opensearch/client.ts';
import type { Tx } from '../../handler.ts';
import { getSearchEngine } from './get-search-engine.ts';
import { setSearchEngine } from './set-search-engine.ts';

/** Operations that choose PostgreSQL or OpenSearch for the searches of a tenant. */
export const searchEngineHandlers = (server: OpenSearch | undefined) =>
  ({ setSearchEngine: setSearchEngine(server), getSearchEngine }) satisfies Handlers<typeof internalSearchEngine, Tx>;
