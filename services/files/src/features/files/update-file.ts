import { type files, fileUpdated } from '@tandem/files-contract';
import { diff } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { asFile, lockPresent, writeFile } from './file.ts';
import { entityColumns } from './follow-merges.ts';
import { plainFilename } from './stored-object.ts';

export const updateFile =
  (tools: Tools): Handler<typeof files.updateFile> =>
  async ({ params, body, caller, tx, emit, ifMatch }) => {
    const row = await lockPresent(tx, params.id);
    ifMatch(row);
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
      ...entity,
    });
    if (isEmpty) return file;
    const isMoved = 'entityType' in values || 'entityId' in values;
    // The file belongs to this record from now on, also after the merge of another lead is undone.
    const updated = asFile(await writeFile(tx, row.id, { ...values, ...(isMoved && { mergedFromEntityId }) }));
    emit(fileUpdated, {
      data: { fileId: row.id, fields: Object.keys(values) },
      record: updated,
      changes: audit,
    });
    return updated;
  };
