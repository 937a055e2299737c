import { measuredAttemptsMax, type webhookStats } from '@tandem/integrations-contract';
import type { Handler, Tx } from '../../handler.ts';
import { findWebhook } from './webhook.ts';

const defaultMs = 7 * 24 * 3_600_000;
const statuses = ['pending', 'delivering', 'retrying', 'succeeded', 'failed', 'skipped', 'cancelled'] as const;

interface Period {
  webhookId: number;
  from: Date;
  to: Date;
}

export const getWebhookStats: Handler<typeof webhookStats.getWebhookStats> = async ({ params, query, tx }) => {
  const { id: webhookId } = await findWebhook(tx, params.id);
  const to = query.to ?? new Date();
  const period = { webhookId, from: query.from ?? new Date(to.getTime() - defaultMs), to };
  const counts = await countDeliveries(tx, period);
  const byStatus = Object.fromEntries(statuses.map((status) => [status, counts.get(status) ?? 0]));
  const deliveries = { total: sum([...counts.values()]), ...byStatus } as Record<
    (typeof statuses)[number] | 'total',
    number
  >;
  const ended = deliveries.succeeded + deliveries.failed;
  return {
    from: period.from,
    to,
    deliveries,
    successRate: ended ? Number((deliveries.succeeded / ended).toFixed(4)) : null,
    attempts: await measureAttempts(tx, period),
  };
};

const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);

async function countDeliveries(tx: Tx, { webhookId, from, to }: Period): Promise<Map<string, number>> {
  const rows = await tx.adHocSql<{ status: string; count: number }>`
    SELECT status, count(*) AS count FROM delivery
    WHERE webhook_id = ${webhookId} AND created_at >= ${from}::timestamptz AND created_at <= ${to}::timestamptz GROUP BY status`;
  return new Map(rows.map(({ status, count }) => [status, count]));
}

interface Attempts {
  measured: number;
  succeeded: number;
  p50Ms: number | null;
  p95Ms: number | null;
  p99Ms: number | null;
}

/** The attempts of the newest deliveries, because a busy webhook has millions. */
async function measureAttempts(tx: Tx, { webhookId, from, to }: Period): Promise<Attempts> {
  const [found] = await tx.adHocSql<Attempts>`
    WITH newest AS MATERIALIZED (SELECT id FROM delivery
      WHERE webhook_id = ${webhookId} AND created_at >= ${from}::timestamptz AND created_at <= ${to}::timestamptz
      ORDER BY created_at DESC, id DESC LIMIT ${measuredAttemptsMax}::int),
    measured AS (SELECT duration_ms, error FROM newest JOIN attempt ON attempt.delivery_id = newest.id LIMIT ${measuredAttemptsMax}::int)
    SELECT count(*) AS measured, count(*) FILTER (WHERE error IS NULL) AS succeeded,
      percentile_disc(0.5) WITHIN GROUP (ORDER BY duration_ms) AS "p50Ms",
      percentile_disc(0.95) WITHIN GROUP (ORDER BY duration_ms) AS "p95Ms",
      percentile_disc(0.99) WITHIN GROUP (ORDER BY duration_ms) AS "p99Ms"
    FROM measured`;
  return found as Attempts;
}
