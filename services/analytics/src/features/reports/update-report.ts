import { type reports, reportUpdated } from '@tandem/analytics-contract';
import { asService, diff, toJsonColumn } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { checkReach } from './recipients.ts';
import { asReport, checkOwner, checkTeam, findReport, lockReport, teamFor } from './report.ts';
import { readQuery } from './report-query.ts';
import type { ReportTools } from './tools.ts';

type Wire = Record<string, unknown> | undefined;

export const updateReport = ({
  crm,
  sources,
  ids,
  identity,
}: ReportTools): Handler<typeof reports.updateReport, Wire> => ({
  async check({ params: { id }, body: { query, teamId }, caller, tx, ifMatch }) {
    const report = asReport(await findReport(tx, id, caller));
    checkOwner(report, caller);
    ifMatch(report);
    await checkTeam(identity, teamId, asService(caller));
    if (query && (await tx.reportSchedule.count({ where: { reportId: id } })))
      checkReach({ sources }, { type: report.type, field: 'query' }, caller);
    return query && readQuery(report.type, query, { crm, sources, ids, caller, tx, field: 'query' });
  },
  async run({ params: { id }, body, caller, found, tx, emit, ifMatch }) {
    const report = asReport(await lockReport(tx, id, caller));
    ifMatch(report);
    const { visibility = report.visibility, teamId, ...fields } = body;
    const isMoved = visibility !== report.visibility || (teamId !== undefined && teamId !== report.teamId);
    const place = isMoved ? { visibility, teamId: teamFor(visibility, teamId, caller) } : {};
    const { isEmpty, values, audit } = diff(report, { ...fields, ...place });
    if (isEmpty) return report;
    const { query, ...columns } = values;
    const [row] = await tx.report.updateManyAndReturn({
      where: { id },
      data: {
        ...columns,
        ...(query && found && { query: toJsonColumn(query), wireQuery: toJsonColumn(found) }),
        version: { increment: 1 },
      },
    });
    emit(reportUpdated, {
      data: { reportId: id, type: report.type, fields: Object.keys(values) },
      record: { id },
      changes: audit,
    });
    return asReport(row as NonNullable<typeof row>);
  },
});
