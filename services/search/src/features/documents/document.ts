import type { Caller } from '@tandem/caller';
import type { DocumentType } from '../../driver/document.ts';
import type { Tools } from '../../handler.ts';

export { type DocumentType, recordTypes, type SearchedType, type Writing } from '../../driver/document.ts';

/** The id under which a document is stored. An id of this API loses its prefix; a client's own id stays as it is. */
export function canonicalId({ ids }: Tools, { tenantId }: Caller, type: DocumentType, given: string): string {
  const id = ids.decode(type, tenantId, given);
  return id === undefined || tenantId === undefined ? given : ids.encode(type, tenantId, id);
}
