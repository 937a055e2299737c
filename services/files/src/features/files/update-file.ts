import type { Caller } from '@tandem/caller';
import { type files, fileUpdated } from '@tandem/files-contract';
import { diff, fail, failField, reachOf, type Under } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { deleteFileAtJob } from '../retention/delete-file-at.job.ts';
import { asFile, lockPresent, writeFile } from './file.ts';
import { entityColumns } from './follow-merges.ts';
import { plainFilename } from './stored-object.ts';

export const updateFile =
  (tools: Tools): Handler<typeof files.updateFile> =>
  async ({ params, body, caller, tx, under, emit, schedule, ifMatch }) => {
    const row = await lockPresent(tx, params.id);
    ifMatch(row);
    const { retainUntil, deleteAt } = body;
    if (deleteAt && deleteAt.getTime() <= Date.now()) throw failField('deleteAt', 'Must be in the future');
    if (retainUntil !== undefined) checkRetention(caller, row.retainUntil, retainUntil);
    if (deleteAt && deleteAt.getTime() !== row.deleteAt?.getTime())
      await checkDeletable({ caller, tx, under }, row.id, 'deleteAt');
    const { filename, tags, entityType = row.entityType, entityId = row.entityId } = body;
    const tenantId = caller.tenantId as number;
    const { mergedFromEntityId = null, ...entity } = await entityColumns(tools, {
      tx,
      tenantId,
      entity: { entityType, entityId },
    });
    const file = asFile(row);
    const { isEmpty, values, audit } = diff(file, {
      ...(filename !== undefined && { filename: plainFilename(filename) }),
      ...(tags && { tags: [...new Set(tags)] }),
      ...(retainUntil !== undefined && { retainUntil }),
      ...(deleteAt !== undefined && { deleteAt }),
      ...entity,
    });
    if (isEmpty) return file;
    const isMoved = 'entityType' in values || 'entityId' in values;
    // The deletion of a lead deletes its files.
    if (isMoved && entity.entityType === 'lead' && entity.entityId !== null)
      await checkDeletable({ caller, tx, under }, row.id, 'entityId');
    // The file belongs to this record from now on, also after the merge of another lead is undone.
    const updated = asFile(await writeFile(tx, row.id, { ...values, ...(isMoved && { mergedFromEntityId }) }));
    if (values.deleteAt) await schedule(deleteFileAtJob, [{ fileId: row.id }], values.deleteAt);
    emit(fileUpdated, {
      data: { fileId: row.id, fields: Object.keys(values) },
      record: updated,
      changes: audit,
    });
    return updated;
  };

/** Everybody who may change a file can make its retention longer. */
function checkRetention(caller: Caller, before: Date | null, wanted: Date | null): void {
  const isEarlier = before !== null && before > new Date() && (wanted === null || wanted < before);
  if (isEarlier && reachOf(caller, 'files:manage') === 'none')
    throw fail('retention_active', [{ field: 'retainUntil', message: `Must not be before ${before.toISOString()}` }]);
}

/** A file is deleted at `deleteAt`, and with the lead that it belongs to, so only callers who can delete it set them. */
async function checkDeletable(
  { caller, tx, under }: { caller: Caller; tx: Tx; under: Under },
  id: number,
  field: 'deleteAt' | 'entityId',
): Promise<void> {
  const permission = 'files:delete';
  const isDeletable =
    reachOf(caller, permission) !== 'none' && (await under(permission, () => tx.file.count({ where: { id } }))) > 0;
  if (!isDeletable)
    throw fail('forbidden', [{ field, message: `Requires the permission ${permission} for this file` }]);
}
