import type { Operation } from '@tandem/contract';
import { exportRequested, type recordExports } from '@tandem/crm-contract';
import { allColumns, requesterOf, unknownColumns } from '@tandem/exports';
import { fail, reachOf } from '@tandem/service';
import { z } from 'zod';
import type { Handler } from '../../handler.ts';
import { type ExportInput, type ExportTarget, exportJobs, exportRecordsJob } from './export.ts';

type LeadExport = typeof recordExports.createLeadExport;

/** The handler of each export. It passes the filters on, which differ by list. */
export const createExport = <Row extends Operation>(target: ExportTarget) =>
  startExport(target) as unknown as Handler<Row>;

const startExport =
  (target: ExportTarget): Handler<LeadExport> =>
  async ({ body, caller, tx, emit, schedule }) => {
    const { format, columns = allColumns(target) } = body;
    const unknown = unknownColumns(target, columns);
    if (unknown.length) throw fail('validation_failed', unknown);
    // Rejects filters that the list would reject.
    await target.listed(body.filter ?? {}, { tx, caller });
    const permission = target.row.permission as string;
    const input: ExportInput = {
      entityType: target.type,
      format,
      columns,
      body: z.encode(target.row.body as z.ZodType, body),
      ...requesterOf(caller, reachOf(caller, permission)),
    };
    const job = await exportJobs.start(tx.sql, { kind: `${target.type}_export`, permission, caller, input });
    await schedule(exportRecordsJob, [{ jobId: job.jobId }]);
    const { jobId } = job;
    emit(exportRequested, { data: { jobId, entityType: target.type, format }, record: { id: jobId } });
    return job;
  };
