import type { TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';
import pg from 'pg';
import { formatNumber, median } from './numbers.ts';
import type { Place } from './place.ts';
import type { Row } from './results.ts';

const events = 60;
const everyMs = 120;
const goalMs = 50;

/**
 * Measures the time from a lead's creation to the consumer's transaction in another service, at a low rate. The audit
 * log has the time of the event (before the commit), identity's inbox the time when its consumer began.
 */
export async function measureEventLatency(place: Place, { api }: TestTenant): Promise<Row> {
  const database = new pg.Client({ connectionString: place.databaseUrl('identity') });
  await database.connect();
  try {
    for (let number = 0; number < events; number++) {
      await api.createLead({
        body: { email: `event.${number}@example.com`, firstName: `Event${number}`, lastName: `Latency${number}` },
      });
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
    const times = await until('every event is in the audit log', async () => {
      const { rows } = await database.query<{ ms: number }>(
        `SELECT extract(epoch FROM received_at - occurred_at)::float * 1000 AS ms FROM audit_log JOIN platform.inbox USING (event_id)
         WHERE action = 'lead.create'`,
      );
      return rows.length >= events && rows.map(({ ms }) => ms);
    });
    const sorted = [...times].sort((a, b) => a - b);
    const middle = median(sorted);
    const p95 = sorted[Math.floor(sorted.length * 0.95)] as number;
    return {
      id: 'latency',
      what: 'Event latency from before the commit to the consumer (median)',
      goal: `< ${goalMs} ms`,
      reached: `${formatNumber(middle)} ms`,
      detail: `p95 ${formatNumber(p95)} ms`,
      isReached: middle < goalMs,
    };
  } finally {
    await database.end();
  }
}
