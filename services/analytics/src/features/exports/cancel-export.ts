import { type dataExports, exportCancelled } from '@tandem/analytics-contract';
import { fail, transitionError } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asExport, type LinkTo, removeExportRowsJob, visibleTo } from './export.ts';
import type { Sources } from './source.ts';

export const cancelExport =
  ({ sources, linkTo }: { sources: Sources; linkTo: LinkTo }): Handler<typeof dataExports.cancelExport> =>
  async ({ params: { id }, caller, tx, emit, schedule, ifMatch }) => {
    const row = await tx.export.lockFirst({ where: { id, ...visibleTo(caller, sources) } });
    if (!row) throw fail('not_found');
    ifMatch(row);
    const { status, allowedTransitions, source } = asExport(row, { caller, linkTo });
    if (!allowedTransitions.includes('cancelled')) throw fail('wrong_status', [transitionError(status, [])]);
    const data = { status: 'cancelled', completedAt: new Date(), version: row.version + 1 };
    await tx.export.updateMany({ where: { id }, data });
    // The job that runs it stops before the next page.
    await schedule(removeExportRowsJob, [{ exportId: id }]);
    emit(exportCancelled, { data: { exportId: id, source }, record: { id } });
    return asExport({ ...row, ...data }, { caller, linkTo });
  };
