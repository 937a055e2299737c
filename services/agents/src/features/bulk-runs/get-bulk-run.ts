import type { bulkRuns } from '@tandem/agents-contract';
import type { Handler } from '../../handler.ts';
import { asBulkRuns, type BulkRunRecord, findRun } from './bulk-run.ts';

export const getBulkRun: Handler<typeof bulkRuns.getBulkRun> = async ({ params, caller, tx }) => {
  const [run] = await asBulkRuns(tx, [await findRun(tx, caller, params.id)]);
  return run as BulkRunRecord;
};
