import { onShutdown, shutdownLimits } from '@tandem/process';
import { readOrigins, readSettings } from './config.ts';
import { fleet } from './contracts.ts';
import { createGateway } from './create-gateway.ts';

const settings = readSettings();
const { HOST: host, PORT: port, OPS_PORT: opsPort } = settings;
const { server, ops, log, health, drain, close } = createGateway(settings, fleet, readOrigins(Object.keys(fleet)));

for (const listening of [server, ops]) {
  listening.on('error', (error) => {
    log.error('cannot listen', { error });
    process.exit(1);
  });
}
server.listen(port, host, () => log.info('listening', { host, port }));
ops.listen(opsPort, host);
onShutdown(log, [
  { name: 'readiness', withinMs: shutdownLimits.readinessMs, run: health.drain },
  drain.stopServer(server, { delayMs: settings.SHUTDOWN_DELAY_MS, log }),
  { name: 'usage and connections', withinMs: shutdownLimits.usageMs, run: close },
  // Last, so that health and metrics stay readable during the shutdown.
  { name: 'metrics', withinMs: shutdownLimits.opsMs, run: () => void ops.close() },
]);
