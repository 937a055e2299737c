import type { Metrics } from '@tandem/process';
import type pg from 'pg';

type Pool = Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount' | 'options'>;

const watched = new WeakMap<Metrics, Map<string, Pool>>();

/**
 * Exports how many connections of a pool are in use and how much work waits for one. Each pool of a process has its own
 * name.
 */
export function watchPool(metrics: Metrics, name: string, pool: Pool): void {
  const pools = watched.get(metrics) ?? startWatching(metrics);
  pools.set(name, pool);
}

function startWatching(metrics: Metrics): Map<string, Pool> {
  const pools = new Map<string, Pool>();
  watched.set(metrics, pools);
  metrics.gauge('pool_connections', 'Open connections to PostgreSQL', ['pool', 'state'], (gauge) => {
    for (const [pool, { totalCount, idleCount }] of pools) {
      gauge.set({ pool, state: 'idle' }, idleCount);
      gauge.set({ pool, state: 'used' }, totalCount - idleCount);
    }
  });
  metrics.gauge('pool_connections_max', 'Maximum number of connections in a pool', ['pool'], (gauge) => {
    for (const [pool, { options }] of pools) gauge.set({ pool }, options.max);
  });
  metrics.gauge('pool_waiting', 'Transactions and queries waiting for a connection', ['pool'], (gauge) => {
    for (const [pool, { waitingCount }] of pools) gauge.set({ pool }, waitingCount);
  });
  return pools;
}

type Work = 'request' | 'background';

/** Records how long work waited for a connection, in seconds. */
export interface PoolWaits {
  /** The wait for a slot in the share of the connections: that of the tenant, or that of background work. */
  share(work: Work, seconds: number): void;
  connection(work: Work, seconds: number): void;
}

/** Measures the waits of one pool. */
export function measureWaits(metrics: Metrics, pool: string): PoolWaits {
  const share = metrics.histogram(
    'pool_share_wait_seconds',
    "Time spent waiting for a slot in the share of the connections: the tenant's, or that of background work",
    ['pool', 'work'],
  );
  const connection = metrics.histogram('pool_wait_seconds', 'Time spent waiting for a connection', ['pool', 'work']);
  return {
    share: (work, seconds) => share.observe({ pool, work }, seconds),
    connection: (work, seconds) => connection.observe({ pool, work }, seconds),
  };
}
