import cluster from 'node:cluster';
import { onShutdown } from '@tandem/process';
import { readOrigins, readSettings } from './config.ts';
import { fleet } from './contracts.ts';
import { closeServer, createGateway } from './create-gateway.ts';
import { runWorkers } from './workers.ts';

const drainMs = 10_000;
const settings = readSettings();
const { HOST: host, PORT: port, OPS_PORT: opsPort, GATEWAY_WORKERS: count } = settings;

if (cluster.isPrimary && count > 1) runWorkers({ count, host, opsPort });
else run();

function run(): void {
  const { server, ops, log, health, close } = createGateway(settings, fleet, readOrigins(Object.keys(fleet)));
  for (const one of [server, ops]) {
    one.on('error', (error) => {
      log.error('cannot listen', { error });
      process.exit(1);
    });
  }
  server.listen(port, host, () => log.info('listening', { host, port }));
  // Of several processes the first one shows the metrics of all.
  if (cluster.isPrimary) ops.listen(opsPort, host);
  onShutdown(log, [health.drain, () => closeServer(server, log, drainMs), close, () => void ops.close()]);
}
