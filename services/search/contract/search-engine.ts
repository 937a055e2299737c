import { operations } from '@tandem/contract';
import { z } from 'zod';

export const searchEngines = ['postgres', 'opensearch'] as const;

const EngineStatus = z.object({
  /** The engine that answers searches now. */
  engine: z.enum(searchEngines),
  state: z.enum(['off', 'filling', 'live', 'leaving']),
  /** Documents that wait to be sent to OpenSearch, up to 10,000. */
  waiting: z.int(),
});

/** For operators: `npm run admin -- search-engine`. */
export const internalSearchEngine = operations({
  setSearchEngine: {
    method: 'PUT',
    path: '/internal/search/engine',
    audience: 'internal',
    summary: 'Choose what answers the searches of a tenant and environment',
    body: z.object({ engine: z.enum(searchEngines) }),
    reply: EngineStatus,
    message: 'Search engine chosen',
    errors: {
      search_engine_missing: [409, 'The service has no OpenSearch server; set OPENSEARCH_URL first'],
    },
    emits: [],
  },
  getSearchEngine: {
    method: 'GET',
    path: '/internal/search/engine',
    audience: 'internal',
    summary: 'Get what answers the searches of a tenant and environment',
    reply: EngineStatus,
    message: 'Search engine retrieved',
  },
});
