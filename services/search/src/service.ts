import { createIdCodec } from '@tandem/ids';
import { search } from '@tandem/search-contract';
import type { ServiceDefinition } from '@tandem/service';
import { documentHandlers } from './features/documents/index.ts';
import { indexRecords } from './features/documents/on-record-changed.ts';
import { reindexDocuments } from './features/documents/reindex-documents.job.ts';
import { searchHandlers } from './features/search/index.ts';
import { Prisma, PrismaClient } from './generated/client.ts';
import type { SearchSettings } from './settings.ts';

const tombstoneDays = 30;

/** The search service: finds documents of clients and records of other services by their words. */
export function searchService(
  settings: SearchSettings,
): ServiceDefinition<typeof search, PrismaClient, SearchSettings> {
  const tools = { ids: createIdCodec(settings.IDS_ALPHABET) };
  return {
    name: 'search',
    operations: search,
    handlers: { ...documentHandlers(tools), ...searchHandlers(tools) },
    consumers: [indexRecords(tools)],
    jobs: [reindexDocuments],
    client: (adapter) => new PrismaClient({ adapter }),
    prisma: Prisma,
    purge: [{ table: 'document', column: 'removed_at', days: tombstoneDays }],
    settings,
  };
}
