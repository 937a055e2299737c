import { id } from '@tandem/contract';
import { fileDeleted, fileRestored } from '@tandem/files-contract';
import { type Inside, type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { File as FileRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { discardDueAt, discardObjectJob } from '../files/discard-object-job.ts';
import { asFile, restoredColumns, writeFile } from '../files/file.ts';
import { isUnfinished, removeFiles } from '../files/remove-files.ts';
import { eraseFiles, filesOf } from '../personal-data/files-data.ts';
import { isProtected, protectedRetryAt, removable } from '../retention/protection.ts';
import { hasOpenRequest } from '../signatures/request.ts';
import { scanLater } from '../transfers/inspect-upload.job.ts';

/** Job that deletes or restores the files of a lead, as the lead is deleted or restored. */
export const filesOfLeadJob = {
  name: 'follow-files-of-lead',
  payload: z.object({ tenantId: id('tenant'), leadId: id('lead') }),
};
type Payload = z.output<typeof filesOfLeadJob.payload>;

/** The files of one lead, in one transaction. */
interface Batch extends Inside<Tx> {
  leadId: number;
  entityId: string;
}

const batchMax = 50;
const openStatuses = ['sent', 'in_progress'];

/** Held files and those that people are signing stay; the job looks once a day whether they still are. */
export const filesOfLead = (tools: Tools) =>
  job({
    ...filesOfLeadJob,
    async run({ payload: { tenantId, leadId }, finish }: JobContext<Payload, Tx>) {
      await finish(async (inside) => {
        const lead = await inside.tx.deletedLead.lockFirst({ where: { leadId } });
        if (!lead) return undefined;
        const batch = { ...inside, leadId, entityId: tools.ids.encode('lead', tenantId, leadId) };
        if (!lead.deletedAt) return restoreFiles(batch);
        return lead.isErased ? eraseKept(tools, batch) : deleteFiles(batch, lead.deletedAt);
      });
    },
  });

async function deleteFiles(batch: Batch, leadDeletedAt: Date): Promise<Date | undefined> {
  const { tx, leadId, entityId, schedule } = batch;
  // Not files that were stored later, nor those that a user has restored since.
  const remaining = {
    entityType: 'lead',
    entityId,
    deletedAt: null,
    createdAt: { lte: leadDeletedAt },
    OR: [{ deletedWithLeadId: null }, { deletedWithLeadId: { not: leadId } }],
  };
  const unsigned = { signatureRequests: { none: { status: { in: openStatuses } } } };
  const where = { AND: [remaining, removable(), unsigned] };
  const found = await tx.file.findMany({ where, orderBy: { id: 'asc' }, take: batchMax, select: { id: true } });
  const unfinished: FileRow[] = [];
  for (const one of found) {
    const row = await tx.file.lockFirst({ where: { id: one.id, deletedAt: null } });
    if (!row || isProtected(row) || (await hasOpenRequest(tx, row.id))) continue;
    if (isUnfinished(row)) unfinished.push(row);
    else await deleteFile(batch, row);
  }
  await removeFiles(
    { tx, schedule },
    unfinished.map((row) => row.id),
  );
  for (const row of unfinished)
    announceDeletion(batch, { ...row, version: row.version + 1, deletedAt: new Date() }, true);
  if (found.length === batchMax) return new Date();
  return (await tx.file.count({ where: remaining })) ? protectedRetryAt() : undefined;
}

async function deleteFile(batch: Batch, { id: fileId, objectKey }: FileRow): Promise<void> {
  const { tx, schedule, leadId } = batch;
  const deleted = await writeFile(tx, fileId, { deletedAt: new Date(), deletedWithLeadId: leadId });
  await schedule(discardObjectJob, [{ objectKey }], discardDueAt('deleted'));
  announceDeletion(batch, deleted, false);
}

function announceDeletion({ emit }: Batch, row: FileRow, permanent: boolean): void {
  emit(fileDeleted, { data: { fileId: row.id, permanent }, record: asFile(row) });
}

/** Removes what an erasure kept, once it is released. */
async function eraseKept(tools: Tools, batch: Batch): Promise<Date | undefined> {
  const where = filesOf([batch.entityId]);
  const { files } = await eraseFiles(tools, batch, where);
  if (files) return new Date();
  return (await batch.tx.file.count({ where })) ? protectedRetryAt() : undefined;
}

/** Exactly the files that were deleted with the lead come back. */
async function restoreFiles({ tx, emit, schedule, leadId }: Batch): Promise<Date | undefined> {
  const where = { deletedWithLeadId: leadId };
  const found = await tx.file.findMany({ where, orderBy: { id: 'asc' }, take: batchMax, select: { id: true } });
  for (const { id: fileId } of found) {
    const row = await tx.file.lockFirst({ where: { id: fileId } });
    if (!row) continue;
    if (row.deletedAt) {
      const record = asFile(await writeFile(tx, fileId, { ...restoredColumns(row), deletedWithLeadId: null }));
      await scanLater(schedule, fileId, row);
      emit(fileRestored, { data: { fileId }, record });
    } else await tx.file.updateMany({ where: { id: fileId }, data: { deletedWithLeadId: null } });
  }
  return found.length === batchMax ? new Date() : undefined;
}
