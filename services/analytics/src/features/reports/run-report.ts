import { reportRunStarted, type reportRuns } from '@tandem/analytics-contract';
import { actingUserId } from '@tandem/caller';
import { requesterOf } from '@tandem/exports';
import { reachOf } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { reachOfSource } from '../exports/source.ts';
import { insertRun } from './insert-run.ts';
import { asReport, findReport } from './report.ts';
import { checkFormat, isOfList, readQuery } from './report-query.ts';
import { asRun } from './report-run.ts';
import type { ReportTools } from './tools.ts';

type Wire = Record<string, unknown>;

export const runReport = ({ crm, sources, ids, fileUrl }: ReportTools): Handler<typeof reportRuns.runReport, Wire> => ({
  // Checked again without parameters too: the caller may not be the owner, or the list may have changed.
  async check({ params: { id }, body, caller, tx }) {
    const { type, query } = asReport(await findReport(tx, id, caller));
    checkFormat(type, body.format);
    const reading = { crm, sources, ids, caller, tx, field: body.params ? 'params' : 'query' };
    return readQuery(type, { ...withoutReplaced(query, body.params), ...body.params }, reading);
  },
  async run({ params: { id }, body: { params = {}, format }, caller, found, tx, emit, schedule }) {
    const { type } = asReport(await findReport(tx, id, caller));
    const reach = isOfList(type) ? reachOfSource(caller, sources[type]) : reachOf(caller, 'analytics:read');
    const row = await insertRun(
      { tx, schedule },
      {
        reportId: id,
        params,
        wireQuery: found,
        format,
        requester: requesterOf(caller, reach),
        createdBy: actingUserId(caller) ?? null,
      },
    );
    emit(reportRunStarted, {
      data: { reportId: id, reportRunId: row.id, scheduleId: null, type },
      record: { id },
    });
    return asRun(row, { caller, fileUrl });
  },
});

/** The query without the period or the dates of which the parameters have the other one. */
function withoutReplaced({ period, dateFrom, dateTo, ...query }: Wire, params: Wire = {}): Wire {
  const hasDates = params['dateFrom'] !== undefined || params['dateTo'] !== undefined;
  return {
    ...query,
    ...(period !== undefined && !hasDates && { period }),
    ...(params['period'] === undefined && {
      ...(dateFrom !== undefined && { dateFrom }),
      ...(dateTo !== undefined && { dateTo }),
    }),
  };
}
