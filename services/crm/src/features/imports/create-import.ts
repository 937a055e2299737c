import { actingUserId } from '@tandem/caller';
import { orAbsent } from '@tandem/client/internal';
import { unknownId } from '@tandem/contract';
import { importCreated, importLimits, type imports } from '@tandem/crm-contract';
import { asService, failField, reachOf, toJsonColumn } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { fieldsOf } from './definitions.ts';
import type { Files } from './fetch-file.ts';
import { actorColumn, asImport, startCheck, toColumn } from './import.ts';
import { checkSettings, type ImportTarget } from './target.ts';

/** The handler of `imports.createLeadImport` and the same of other records. */
export const createImport = (
  files: Files,
  target: ImportTarget,
): Handler<typeof imports.createLeadImport, { filename: string }> => ({
  async check({ body, caller }) {
    target.checkCaller?.(caller, fieldsOf(body));
    const as = asService(caller, reachOf(caller, 'files:read'));
    const file = await orAbsent(files.findFile({ params: { id: body.fileId }, as }));
    if (!file) throw failField('fileId', unknownId('file'));
    if (file.status !== 'available')
      throw failField('fileId', 'The file is quarantined and cannot be read; send another file');
    if (file.size > importLimits.bytes) throw failField('fileId', 'The file is larger than 50 MiB; split it');
    return { filename: file.filename };
  },
  async run({ body, found: { filename }, caller, tx, emit, schedule }) {
    const { fileId, mapping = {}, dedupe = target.dedupe.usual, defaults = {} } = body;
    checkSettings(target, { mapping, dedupe, defaults });
    const row = await tx.import.create({
      data: {
        entityType: target.type,
        fileId,
        filename,
        mapping: toJsonColumn(mapping),
        dedupe: toColumn(dedupe),
        defaults: toJsonColumn(defaults),
        actor: actorColumn(caller),
        createdBy: actingUserId(caller) ?? null,
      },
    });
    const jobId = await startCheck({ tx, schedule }, target, { caller, importId: row.id });
    await tx.import.updateMany({ where: { id: row.id }, data: { jobId } });
    const record = asImport({ ...row, jobId });
    emit(importCreated, { data: { importId: row.id }, record });
    return record;
  },
});
