import { ExportSource, exportExpired } from '@tandem/analytics-contract';
import { removePages } from '@tandem/exports';
import { type JobContext, job, scheduleAgain } from '@tandem/jobs';
import type { Tx } from '../../handler.ts';
import { type ExportPayload, removeExportRowsJob } from './export.ts';

/** Removes the rows of an export that failed, was cancelled, or expires now, part by part. */
export const removeExportRows = job({
  ...removeExportRowsJob,
  rests: true,
  async run({ payload: { exportId }, finish }: JobContext<ExportPayload, Tx>) {
    await finish(async ({ tx, emit }) => {
      const row = await tx.export.lockFirst({ where: { id: exportId } });
      if (row?.status === 'completed') {
        await tx.export.updateMany({ where: { id: exportId }, data: { status: 'expired', version: row.version + 1 } });
        const source = ExportSource.parse(row.source);
        emit(exportExpired, { data: { exportId, source }, record: { id: exportId } });
      }
      return (await removePages(tx.sql, exportId)) ? undefined : new Date();
    });
  },
  giveUp: scheduleAgain(removeExportRowsJob),
});
