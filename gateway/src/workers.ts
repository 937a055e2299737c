import cluster from 'node:cluster';
import { createServer } from 'node:http';
import { createLog } from '@tandem/process';
import { AggregatorRegistry } from 'prom-client';

const restartAfterMs = 1_000;

/**
 * Runs the gateway as `count` processes that share its port. A worker that ends is replaced after a second: without the pause
 * one that cannot start would use a whole core. The primary process serves the metrics of all workers.
 */
export function runWorkers({ count, host, opsPort }: { count: number; host: string; opsPort: number }): void {
  const log = createLog('gateway');
  const metrics = new AggregatorRegistry();
  let stopping = false;
  for (let worker = 0; worker < count; worker++) cluster.fork();

  cluster.on('exit', (worker, code) => {
    if (stopping) {
      if (!Object.keys(cluster.workers ?? {}).length) process.exit(0);
      return;
    }
    log.error('a gateway process ended and is replaced', { pid: worker.process.pid, code });
    setTimeout(() => stopping || cluster.fork(), restartAfterMs);
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      stopping = true;
      for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill(signal);
    });
  }
  createServer(async (request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    try {
      const text = await metrics.clusterMetrics();
      response.writeHead(200, { 'Content-Type': 'text/plain' }).end(text);
    } catch (error) {
      // A process that is ending or hangs gives no metrics; the next scrape finds out.
      log.warn('metrics of a gateway process are missing', { error });
      response.writeHead(503).end();
    }
  }).listen(opsPort, host);
}
