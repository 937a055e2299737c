import type { reports } from '@tandem/analytics-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asReport, managesReports, visibleTo } from './report.ts';

export const listReports: Handler<typeof reports.listReports> = async ({ query, caller, tx, list }) => {
  const { type, ownerId, includePrivate } = query;
  if (includePrivate && !managesReports(caller))
    throw fail('forbidden', [{ field: 'includePrivate', message: 'Requires the permission analytics:manage' }]);
  const page = await list({
    model: tx.report,
    where: { ...(type && { type }), ...(ownerId !== undefined && { ownerId }) },
    and: includePrivate ? [] : [visibleTo(caller)],
  });
  return { ...page, items: page.items.map(asReport) };
};
