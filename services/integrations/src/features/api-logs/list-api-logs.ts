import type { apiLogs } from '@tandem/integrations-contract';
import type { Handler } from '../../handler.ts';
import { asApiLog } from './api-log.ts';

// Without the bodies.
const columns = {
  id: true,
  environment: true,
  direction: true,
  requestId: true,
  method: true,
  host: true,
  path: true,
  query: true,
  route: true,
  status: true,
  errorCode: true,
  durationMs: true,
  ip: true,
  keyId: true,
  actingUserId: true,
  requestBytes: true,
  responseBytes: true,
  createdAt: true,
} as const;

export const listApiLogs: Handler<typeof apiLogs.listApiLogs> = async ({ query, tx, list }) => {
  const { requestId, direction, keyId, actingUserId, method, path, status, minDurationMs, from, to } = query;
  const page = await list({
    model: tx.apiLog,
    where: {
      ...(requestId && { requestId }),
      ...(direction && { direction }),
      ...(keyId !== undefined && { keyId }),
      ...(actingUserId !== undefined && { actingUserId }),
      ...(method && { method }),
      ...(path && { [path.includes('/:') ? 'route' : 'path']: path }),
      ...(status && { status: statusOf(status) }),
      ...(minDurationMs && { durationMs: { gte: minDurationMs } }),
    },
    and: [...(from ? [{ createdAt: { gte: from } }] : []), ...(to ? [{ createdAt: { lte: to } }] : [])],
    select: columns,
  });
  return { ...page, items: page.items.map(asApiLog) };
};

/** The condition for a status, `404`, or a class of statuses, `4xx`. */
function statusOf(status: string): number | { gte: number; lt: number } {
  if (!status.endsWith('xx')) return Number(status);
  const first = Number(status[0]) * 100;
  return { gte: first, lt: first + 100 };
}
