import type { Tools, Tx } from '../../handler.ts';
import type { Writing } from './document.ts';
import type { Page, RecordPage } from './read-records.ts';

const removalPageMax = 500;

/** Documents of records that no longer exist. Deleted accounts are exported for 30 days, so that none is missed. */
export async function findRemoved(tools: Tools, tx: Tx, { type, after, as }: RecordPage): Promise<Page> {
  if (type === 'account') return { writings: [], next: null };
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
  const presentIds = new Set(await presentAmong(tools, type, { body: { ids: records.map(({ id }) => id) }, as }));
  const indexedAt = new Date();
  const writings = records
    .filter(({ id }) => !presentIds.has(id))
    // A later version, so that the removal wins over what is indexed, and a newer event over the removal.
    .map(({ documentId, version }): Writing => ({ type, documentId, version: version + 1, indexedAt }));
  return { writings, next: documents.at(-1)?.id ?? null };
}

/** The ids of the records that exist. */
async function presentAmong(
  { crm, partner }: Tools,
  type: 'lead' | 'opportunity' | 'partner',
  request: { body: { ids: number[] }; as: RecordPage['as'] },
): Promise<number[]> {
  if (type === 'lead') return (await crm.filterLeads(request)).ids;
  if (type === 'opportunity') return (await crm.filterOpportunities(request)).ids;
  return (await partner.findPartners(request)).map(({ id }) => id);
}
