import { type Metrics, readEvery } from '@tandem/process';
import type pg from 'pg';
import type { MailCounters } from './send-job.ts';

const countMax = 10_000;
const countEverySeconds = 15;
const queuedSql = `SELECT count(*)::int AS messages, coalesce(extract(epoch FROM now() - min(created_at)), 0)::float AS seconds
  FROM (SELECT created_at FROM platform.mail WHERE state = 'queued' ORDER BY created_at LIMIT ${countMax}) AS queued`;

/** Exports the length and age of the queue, and counts messages by how they ended. */
export function watchMail(pool: pg.Pool, metrics: Metrics): MailCounters {
  const queue = readEvery(
    countEverySeconds,
    async () => (await pool.query<{ messages: number; seconds: number }>(queuedSql)).rows[0],
  );
  metrics.gauge('mail_queued', `Messages that wait to be sent, counted up to ${countMax}`, [], async (gauge) =>
    gauge.set((await queue())?.messages ?? 0),
  );
  metrics.gauge('mail_oldest_seconds', 'Age of the oldest message that waits to be sent', [], async (gauge) =>
    gauge.set((await queue())?.seconds ?? 0),
  );
  const ended = metrics.counter('mail_total', 'Attempts to send a message, by result', ['kind', 'state']);
  const refused = metrics.counter('mail_refused_total', 'Messages above the daily limit of a tenant', ['kind']);
  // Starts at zero, so that Prometheus sees the first failure as an increase.
  for (const kind of ['account', 'bulk']) {
    for (const state of ['sent', 'failed', 'postponed']) ended.inc({ kind, state }, 0);
    refused.inc({ kind }, 0);
  }
  return { ended, refused };
}
