import type { Operation } from '@tandem/contract';
import { exportRequested, type recordExports } from '@tandem/crm-contract';
import { fail, reachOf } from '@tandem/service';
import { z } from 'zod';
import type { Handler } from '../../handler.ts';
import {
  allColumns,
  columnNames,
  type ExportInput,
  type ExportTarget,
  exportJobs,
  exportRecordsJob,
  isColumn,
} from './export.ts';

type LeadExport = typeof recordExports.createLeadExport;

/** The handler of each export. It passes the filters on, which differ by list. */
export const createExport = <Row extends Operation>(target: ExportTarget) =>
  startExport(target) as unknown as Handler<Row>;

const startExport =
  (target: ExportTarget): Handler<LeadExport> =>
  async ({ body, caller, tx, emit, schedule }) => {
    const { format, columns = allColumns(target) } = body;
    const unknown = columns.flatMap((column, index) =>
      isColumn(target, column) ? [] : [{ field: `columns.${index}`, message: `Must be one of ${columnNames(target)}` }],
    );
    if (unknown.length) throw fail('validation_failed', unknown);
    // Rejects filters that the list would reject.
    await target.listed(body.filter ?? {}, { tx, caller });
    const { permissions, features, narrow, usage, performed, tenantId, environment, ...actor } = caller;
    const permission = target.row.permission as string;
    const reach = reachOf(caller, permission);
    const input: ExportInput = {
      entityType: target.type,
      format,
      columns,
      body: z.encode(target.row.body as z.ZodType, body),
      actor,
      narrow: reach === 'all' || reach === 'none' ? null : { ...reach, teamIds: [...(reach.teamIds ?? [])] },
    };
    const job = await exportJobs.start(tx.sql, { kind: `${target.type}_export`, permission, caller, input });
    await schedule(exportRecordsJob, [{ jobId: job.jobId }]);
    const { jobId } = job;
    emit(exportRequested, { data: { jobId, entityType: target.type, format }, record: { id: jobId } });
    return job;
  };
