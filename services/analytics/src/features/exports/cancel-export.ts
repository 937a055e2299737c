import type { dataExports } from '@tandem/analytics-contract';
import { fail, transitionError } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asExport, endCancelled, type LinkTo, visibleTo } from './export.ts';
import type { Sources } from './source.ts';

export const cancelExport =
  ({ sources, linkTo }: { sources: Sources; linkTo: LinkTo }): Handler<typeof dataExports.cancelExport> =>
  async ({ params: { id }, caller, tx, emit, schedule, ifMatch }) => {
    // A lock takes plain conditions only, and what a caller may see is not one.
    const visible = await tx.export.findFirst({ where: { id, ...visibleTo(caller, sources) }, select: { id: true } });
    const row = visible && (await tx.export.lockFirst({ where: { id } }));
    if (!row) throw fail('not_found');
    ifMatch(row);
    const { status, allowedTransitions, source } = asExport(row, { caller, linkTo });
    if (!allowedTransitions.includes('cancelled')) throw fail('wrong_status', [transitionError(status, [])]);
    const data = { status: 'cancelled', completedAt: new Date(), version: row.version + 1 };
    await tx.export.updateMany({ where: { id }, data });
    await endCancelled({ emit, schedule }, id, source);
    return asExport({ ...row, ...data }, { caller, linkTo });
  };
