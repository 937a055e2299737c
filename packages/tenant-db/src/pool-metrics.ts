import type { Metrics } from '@tandem/process';
import type pg from 'pg';

type Pool = Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount' | 'options'>;

const watched = new WeakMap<Metrics, Map<string, Pool>>();

/** Shows how many connections of a pool are in use and how much work waits for one. Each pool of a process has a name of its own. */
export function watchPool(metrics: Metrics, name: string, pool: Pool): void {
  const pools = watched.get(metrics) ?? startWatching(metrics);
  pools.set(name, pool);
}

function startWatching(metrics: Metrics): Map<string, Pool> {
  const pools = new Map<string, Pool>();
  watched.set(metrics, pools);
  metrics.gauge('pool_connections', 'Connections to PostgreSQL', ['pool', 'state'], (gauge) => {
    for (const [pool, { totalCount, idleCount }] of pools) {
      gauge.set({ pool, state: 'idle' }, idleCount);
      gauge.set({ pool, state: 'used' }, totalCount - idleCount);
    }
  });
  metrics.gauge('pool_connections_max', 'Connections that a pool may open', ['pool'], (gauge) => {
    for (const [pool, { options }] of pools) gauge.set({ pool }, options.max);
  });
  metrics.gauge('pool_waiting', 'Work that waits for a connection', ['pool'], (gauge) => {
    for (const [pool, { waitingCount }] of pools) gauge.set({ pool }, waitingCount);
  });
  return pools;
}

/** Is told how long work waited before it had a connection, in seconds. */
export interface PoolWaits {
  /** For a place within the tenant's share of the connections. */
  share(seconds: number): void;
  connection(seconds: number): void;
}

/** Measures the waits of one pool. */
export function measureWaits(metrics: Metrics, pool: string): PoolWaits {
  const share = metrics.histogram(
    'pool_share_wait_seconds',
    "Time that work waited for a place within its tenant's share of the connections",
    ['pool'],
  );
  const connection = metrics.histogram('pool_wait_seconds', 'Time that work waited for a connection', ['pool']);
  const labels = { pool };
  return {
    share: (seconds) => share.observe(labels, seconds),
    connection: (seconds) => connection.observe(labels, seconds),
  };
}
