import { createServer } from 'node:http';
import type { Operations } from '@tandem/contract';
import { onShutdown } from '@tandem/process';
import { createService, type ServiceDefinition } from './create-service.ts';
import type { ServiceSettings } from './settings.ts';

const keepAliveMs = 70_000;
const drainMs = 10_000;
// Whatever the gateway takes (16 KB) it may pass on, and adds the caller with up to 200 permissions. A service that took
// less would answer without our envelope, which the gateway counts as its failure: clients could close a service to all.
const headersMax = 64 * 1024;

/** Runs a service as a process until it is told to stop: then it finishes what runs, for at most 10 s, and closes. */
export function startService<Ops extends Operations, Client, Settings extends ServiceSettings>(
  definition: ServiceDefinition<Ops, Client, Settings>,
): void {
  const { settings } = definition;
  const { app, log, health, close } = createService(definition);
  const server = createServer({ maxHeaderSize: headersMax }, app).listen(settings.PORT, settings.HOST, () =>
    log.info('listening', { host: settings.HOST, port: settings.PORT }),
  );
  server.on('error', (error) => {
    log.error('cannot listen', { error });
    process.exit(1);
  });
  // Longer than the gateway keeps its side (60 s): only the gateway ends an idle connection, so none breaks under a request.
  server.keepAliveTimeout = keepAliveMs;
  onShutdown(log, [
    health.drain,
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        setTimeout(() => {
          server.closeAllConnections();
          resolve();
        }, drainMs).unref();
      }),
    close,
  ]);
}
