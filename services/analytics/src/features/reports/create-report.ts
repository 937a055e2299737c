import { reportCreated, reportLimits, type reports } from '@tandem/analytics-contract';
import { asService, fail, toJsonColumn } from '@tandem/service';
import { lockNamed } from '@tandem/tenant-db';
import type { Handler } from '../../handler.ts';
import { asReport, checkTeam, ownerOf, teamFor } from './report.ts';
import { readQuery } from './report-query.ts';
import type { ReportTools } from './tools.ts';

type Wire = Record<string, unknown>;

export const createReport = ({
  crm,
  sources,
  ids,
  identity,
}: ReportTools): Handler<typeof reports.createReport, Wire> => ({
  async check({ body: { type, query = {}, teamId }, caller, tx }) {
    await checkTeam(identity, teamId, asService(caller));
    return readQuery(type, query, { crm, sources, ids, caller, tx, field: 'query' });
  },
  async run({ body, caller, found, tx, emit }) {
    const { name, type, query = {}, visibility } = body;
    const ownerId = ownerOf(caller);
    const teamId = teamFor(visibility, body.teamId, caller);
    await lockNamed(tx, 'reports');
    if ((await tx.report.count({})) >= reportLimits.reports) throw fail('too_many_reports');
    if ((await tx.report.count({ where: { ownerId } })) >= reportLimits.ofUser) throw fail('too_many_own_reports');
    const row = await tx.report.create({
      data: { name, type, query: toJsonColumn(query), wireQuery: toJsonColumn(found), visibility, teamId, ownerId },
    });
    emit(reportCreated, { data: { reportId: row.id, type }, record: { id: row.id } });
    return asReport(row);
  },
});
