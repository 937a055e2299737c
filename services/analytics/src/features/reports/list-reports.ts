import type { reports } from '@tandem/analytics-contract';
import type { Handler } from '../../handler.ts';
import { asReport, visibleTo } from './report.ts';

export const listReports: Handler<typeof reports.listReports> = async ({ query: { type }, caller, tx, list }) => {
  const page = await list({ model: tx.report, where: { ...(type && { type }) }, and: [visibleTo(caller)] });
  return { ...page, items: page.items.map(asReport) };
};
