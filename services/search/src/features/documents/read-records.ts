import type { Caller } from '@tandem/caller';
import type { Tools } from '../../handler.ts';
import type { DocumentType, Writing } from './document.ts';
import { recordDocument } from './record-document.ts';

/** One page: the documents to write, and where the next page begins. */
export interface Page {
  writings: Writing[];
  next: number | null;
}

/** Which page of the records of a type is read, and for whom. */
export interface RecordPage {
  type: DocumentType;
  after: number | null;
  as: Omit<Caller, 'type' | 'permissions'> & { tenantId: number };
}

/** Reads a page of the records of a type from the service that owns them, as documents. */
export async function readRecords(tools: Tools, { type, after, as }: RecordPage): Promise<Page> {
  const request = { body: { after }, as };
  const exportOf = {
    lead: tools.crm.exportLeads,
    opportunity: tools.crm.exportOpportunities,
    account: tools.crm.exportAccounts,
    partner: tools.partner.exportPartners,
  };
  const exported = await exportOf[type](request);
  const indexedAt = new Date();
  const writings = exported.map(({ record, isDeleted }): Writing => {
    const documentId = tools.ids.encode(type, as.tenantId, record.id);
    const writing = { type, documentId, version: record.version, indexedAt };
    return isDeleted
      ? writing
      : { ...writing, document: recordDocument(tools.ids, { type, tenantId: as.tenantId, record }) };
  });
  return { writings, next: exported.at(-1)?.record.id ?? null };
}
