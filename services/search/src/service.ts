import { createEmbedding } from '@tandem/ai';
import { createCallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client/internal';
import { cachedPerTenant } from '@tandem/client/per-tenant';
import { internalExports, internalLeads, internalOpportunities } from '@tandem/crm-contract';
import { entitlementsFrom, internalEntitlements, settingsReader } from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import { internalPartnerLookup, internalPartners } from '@tandem/partner-contract';
import { createLog } from '@tandem/process';
import { search } from '@tandem/search-contract';
import { createTotals, personalData, type ServiceDefinition } from '@tandem/service';
import { createOpenSearch } from './driver/opensearch/client.ts';
import { postgresDriver, reindexDocuments } from './driver/postgres/index.ts';
import { createSearchedBy } from './driver/searched-by.ts';
import { documentHandlers } from './features/documents/index.ts';
import { indexRecords } from './features/documents/on-record-changed.ts';
import { reconcileDocuments } from './features/documents/reconcile-documents.job.ts';
import { createBulkShare } from './features/documents/share.ts';
import { followDecisions } from './features/duplicates/follow-decisions.job.ts';
import { duplicateHandlers } from './features/duplicates/index.ts';
import { dismissPairs } from './features/duplicates/on-duplicate-pair-dismissed.ts';
import { pairDocumentsInTurn } from './features/duplicates/pair-documents.job.ts';
import { embedDocuments, startEmbedding } from './features/embeddings/embed-documents.job.ts';
import { createQuestionVectors } from './features/embeddings/question-vectors.ts';
import { buildIndex, dropIndex } from './features/index-builds/build-index.job.ts';
import { indexBuildHandlers } from './features/index-builds/index.ts';
import { searchData } from './features/personal-data/search-data.ts';
import { searchHandlers } from './features/search/index.ts';
import { searchEngineHandlers } from './features/search-engine/index.ts';
import { removeFromServer } from './features/search-engine/remove-tenant.ts';
import { sendDocuments } from './features/search-engine/send-documents.job.ts';
import { Prisma, PrismaClient } from './generated/client.ts';
import type { Tools } from './handler.ts';
import type { SearchSettings } from './settings.ts';

const tombstoneDays = 30;

/** The search service: finds documents of clients and records of other services by their words. */
export function searchService(
  settings: SearchSettings,
): ServiceDefinition<typeof search, PrismaClient, SearchSettings> {
  const common = { service: 'search', signer: createCallerSigner(settings.INTERNAL_SECRETS) };
  const identity = createServiceClient({ ...common, operations: internalEntitlements, baseUrl: settings.IDENTITY_URL });
  const { OPENSEARCH_URL: url, OPENSEARCH_USER: user, OPENSEARCH_PASSWORD: password, NAMESPACE } = settings;
  const server = url ? createOpenSearch({ url, user, password, index: `${NAMESPACE}-documents` }) : undefined;
  const embedding = createEmbedding(settings);
  const embeddingTokensPerDay = settings.AI_PROVIDER_EMBEDDING_TOKENS_PER_DAY;
  const tools: Tools = {
    driver: postgresDriver,
    searchedBy: createSearchedBy(server),
    embedding,
    embeddingTokensPerDay,
    questionVectors: createQuestionVectors({ embedding, tokensPerDay: embeddingTokensPerDay }),
    addonSettings: settingsReader(cachedPerTenant({ ...entitlementsFrom(identity), log: createLog('search') })),
    totals: createTotals(),
    bulkShare: createBulkShare(),
    ids: createIdCodec(settings.IDS_ALPHABET),
    crm: createServiceClient({
      ...common,
      operations: { ...internalExports, ...internalLeads, ...internalOpportunities },
      baseUrl: settings.CRM_URL,
    }),
    partner: createServiceClient({
      ...common,
      operations: { ...internalPartners, ...internalPartnerLookup },
      baseUrl: settings.PARTNER_URL,
    }),
  };
  const person = personalData('search', searchData(postgresDriver));
  return {
    name: 'search',
    operations: search,
    handlers: {
      ...documentHandlers(tools),
      ...duplicateHandlers(tools),
      ...searchHandlers(tools),
      ...indexBuildHandlers,
      ...searchEngineHandlers(server),
      ...person.handlers,
    },
    consumers: [indexRecords(tools), dismissPairs(tools), ...person.consumers],
    jobs: [
      reindexDocuments,
      buildIndex(tools),
      dropIndex,
      reconcileDocuments(tools),
      pairDocumentsInTurn(tools),
      followDecisions(tools),
      sendDocuments(server),
      embedDocuments(tools),
      startEmbedding(tools),
      ...person.jobs,
    ],
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
    purge: [
      { table: 'document', column: 'removed_at', days: tombstoneDays },
      { table: 'duplicate_record', column: 'removed_at', days: tombstoneDays },
    ],
    ...(server && { tenantRemoval: { before: removeFromServer(server) }, close: () => server.close() }),
    settings,
  };
}
