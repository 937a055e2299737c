import type { Caller } from '@tandem/caller';
import { fail, reachOf } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { ownersWithin, permissionFor } from '../search/owners.ts';
import type { DocumentType } from './document.ts';

/**
 * Whether the caller may replace or remove a document. For a record's document the caller must be allowed to write the
 * record; a client's own document may be written by everybody who may write the index.
 * @throws ApiError 403 when the caller may write no records of the type
 */
export async function mayWriteDocument(
  tools: Tools,
  { tx, caller }: { tx: Tx; caller: Caller },
  { type, documentId }: { type: DocumentType; documentId: string },
): Promise<boolean> {
  if (tools.ids.decode(type, caller.tenantId, documentId) === undefined) return true;
  const permission = permissionFor(type, 'write');
  const reach = reachOf(caller, permission);
  if (reach === 'none')
    throw fail('forbidden', [
      { field: 'id', message: `Is the id of a ${type}, so it requires the permission ${permission}` },
    ]);
  const owners = ownersWithin(reach, caller, tools);
  if (!owners) return true;
  // The lock keeps the owners unchanged until the document is written. Only documents of records have a version.
  const index = await tools.driver.index(tx, type);
  const rows = await tx.sql`SELECT id FROM document
    WHERE type = ${index} AND document_id = ${documentId} AND version > 0 AND owners && ${owners}::text[] FOR UPDATE`;
  return rows.length > 0;
}
