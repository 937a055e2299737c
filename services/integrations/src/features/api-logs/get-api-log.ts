import type { apiLogs } from '@tandem/integrations-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asApiLog } from './api-log.ts';

export const getApiLog: Handler<typeof apiLogs.getApiLog> = async ({ params, query, tx }) => {
  const newest = (direction: string) =>
    tx.apiLog.findFirst({ where: { requestId: params.requestId, direction }, orderBy: { createdAt: 'desc' } });
  const row = query.direction
    ? await newest(query.direction)
    : ((await newest('inbound')) ?? (await newest('outbound')));
  if (!row) throw fail('not_found');
  return asApiLog(row);
};
