import type { bulkRuns } from '@tandem/agents-contract';
import { fragment } from '@tandem/tenant-db';
import type { Handler, Tools } from '../../handler.ts';
import { readableLeadsOf } from '../../lead-reach.ts';
import { executionsPage } from '../executions/list-executions.ts';
import { findRun } from './bulk-run.ts';

export const listBulkRunItems = (tools: Tools): Handler<typeof bulkRuns.listBulkRunItems, number[] | undefined> => ({
  async check({ params, query: { leadId }, caller, tx }) {
    await findRun(tx, caller, params.id);
    return readableLeadsOf(tools, { caller, tx, table: fragment`execution`, leadId });
  },
  run: ({ params, query, found: readable, ...context }) =>
    executionsPage(context, { ...query, bulkRunId: params.id }, readable),
});
