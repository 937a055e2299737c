import cluster from 'node:cluster';
import { onShutdown, shutdownLimits } from '@tandem/process';
import { readOrigins, readSettings } from './config.ts';
import { fleet } from './contracts.ts';
import { createGateway } from './create-gateway.ts';
import { runWorkers } from './workers.ts';

const settings = readSettings();
const { HOST: host, PORT: port, OPS_PORT: opsPort, GATEWAY_WORKERS: count } = settings;

if (cluster.isPrimary && count > 1) runWorkers({ count, host, opsPort });
else run();

function run(): void {
  const { server, ops, log, health, drain, close } = createGateway(settings, fleet, readOrigins(Object.keys(fleet)));
  for (const one of [server, ops]) {
    one.on('error', (error) => {
      log.error('cannot listen', { error });
      process.exit(1);
    });
  }
  server.listen(port, host, () => log.info('listening', { host, port }));
  // With several workers the primary process serves the metrics of all.
  if (cluster.isPrimary) ops.listen(opsPort, host);
  onShutdown(log, [
    { name: 'readiness', withinMs: 1_000, run: health.drain },
    drain.stopServer(server, { delayMs: settings.SHUTDOWN_DELAY_MS, log }),
    { name: 'usage and connections', withinMs: shutdownLimits.usageMs, run: close },
    // Last: health and metrics can be read until the end.
    { name: 'metrics', withinMs: 1_000, run: () => void ops.close() },
  ]);
}
