import type { Caller } from '@tandem/caller';
import type { internalSearch } from '@tandem/search-contract';
import { asService, fail } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import type { DocumentType, Writing } from './document.ts';
import { recordDocument } from './record-document.ts';

const removalPageMax = 500;

/** One page: the documents to write, and where the next page begins. */
interface Page {
  writings: Writing[];
  next: number | null;
}

/**
 * Compares one page of documents with the records of the service that owns them. Events may be handled at the same time:
 * the newer version wins, from an event or a record. The step `index` walks through the records and writes each document, also in the same
 * version; `remove` walks through the documents and removes those whose record no longer exists.
 */
export const rebuildDocuments = (tools: Tools): Handler<typeof internalSearch.rebuildDocuments, Page> => ({
  check: async ({ body: { type, step, after }, caller, tx }) => {
    if (caller.tenantId === undefined) throw fail('not_found');
    return step === 'index'
      ? readRecords(tools, { type, after, caller, tenantId: caller.tenantId })
      : findRemoved(tools, tx, { type, after, caller, tenantId: caller.tenantId });
  },
  run: async ({ body, tx, found: { writings, next } }) => {
    if (writings.length) await tools.driver.write(tx, writings, { sameVersion: body.step === 'index' });
    const removed = writings.filter(({ document }) => !document).length;
    return { indexed: writings.length - removed, removed, next };
  },
});

interface Place {
  type: DocumentType;
  after: number | null;
  caller: Caller;
  tenantId: number;
}

async function readRecords(tools: Tools, { type, after, caller, tenantId }: Place): Promise<Page> {
  const request = { body: { after }, as: asService(caller) };
  const exported =
    type === 'lead'
      ? await tools.crm.exportLeads(request)
      : type === 'opportunity'
        ? await tools.crm.exportOpportunities(request)
        : await tools.partner.exportPartners(request);
  const indexedAt = new Date();
  const writings = exported.map(({ record, isDeleted }): Writing => {
    const documentId = tools.ids.encode(type, tenantId, record.id);
    const writing = { type, documentId, version: record.version, indexedAt };
    return isDeleted ? writing : { ...writing, document: recordDocument(tools.ids, { type, tenantId, record }) };
  });
  return { writings, next: exported.at(-1)?.record.id ?? null };
}

/** Documents of leads and opportunities that were removed for good: partners never are. */
async function findRemoved(tools: Tools, tx: Tx, { type, after, caller, tenantId }: Place): Promise<Page> {
  if (type === 'partner') return { writings: [], next: null };
  const documents = await tx.document.findMany({
    where: { type, removedAt: null, version: { gt: 0 }, id: { gt: after ?? 0 } },
    orderBy: { id: 'asc' },
    take: removalPageMax,
    select: { id: true, documentId: true, version: true },
  });
  const records = documents.flatMap(({ documentId, version }) => {
    const id = tools.ids.decode(type, tenantId, documentId);
    return id === undefined ? [] : [{ id, documentId, version }];
  });
  const request = { body: { ids: records.map(({ id }) => id) }, as: asService(caller) };
  const present = await (type === 'lead' ? tools.crm.filterLeads(request) : tools.crm.filterOpportunities(request));
  const presentIds = new Set(present.ids);
  const indexedAt = new Date();
  const writings = records
    .filter(({ id }) => !presentIds.has(id))
    // A later version, so that the removal wins over what is indexed, and a newer event over the removal.
    .map(({ documentId, version }): Writing => ({ type, documentId, version: version + 1, indexedAt }));
  return { writings, next: documents.at(-1)?.id ?? null };
}
