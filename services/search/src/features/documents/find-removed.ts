import type { Tools, Tx } from '../../handler.ts';
import type { Writing } from './document.ts';
import type { Page, RecordPage } from './read-records.ts';

const removalPageMax = 500;

/** Documents of leads and opportunities that were removed for good: partners never are, and deleted accounts are exported for 30 days. */
export async function findRemoved(tools: Tools, tx: Tx, { type, after, as }: RecordPage): Promise<Page> {
  if (type === 'partner' || type === 'account') return { writings: [], next: null };
  const documents = await tx.document.findMany({
    where: { type: await tools.driver.index(tx, type), removedAt: null, version: { gt: 0 }, id: { gt: after ?? 0 } },
    orderBy: { id: 'asc' },
    take: removalPageMax,
    select: { id: true, documentId: true, version: true },
  });
  const records = documents.flatMap(({ documentId, version }) => {
    const id = tools.ids.decode(type, as.tenantId, documentId);
    return id === undefined ? [] : [{ id, documentId, version }];
  });
  const request = { body: { ids: records.map(({ id }) => id) }, as };
  const present = await (type === 'lead' ? tools.crm.filterLeads(request) : tools.crm.filterOpportunities(request));
  const presentIds = new Set(present.ids);
  const indexedAt = new Date();
  const writings = records
    .filter(({ id }) => !presentIds.has(id))
    // A later version, so that the removal wins over what is indexed, and a newer event over the removal.
    .map(({ documentId, version }): Writing => ({ type, documentId, version: version + 1, indexedAt }));
  return { writings, next: documents.at(-1)?.id ?? null };
}
