import type { reports } from '@tandem/analytics-contract';
import type { Handler } from '../../handler.ts';
import { asReport, findReport, knownTo } from './report.ts';

export const getReport: Handler<typeof reports.getReport> = async ({ params: { id }, caller, tx }) =>
  asReport(await findReport(tx, id, caller, knownTo(caller)));
