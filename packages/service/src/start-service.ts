import { createServer } from 'node:http';
import type { Operations } from '@tandem/contract';
import { createServerDrain, onShutdown, shutdownLimits } from '@tandem/process';
import { createService } from './create-service.ts';
import type { ServiceDefinition } from './service-definition.ts';
import type { ServiceSettings } from './settings.ts';

// Longer than any client of the fleet keeps an idle connection (gateway 55 s, other services 30 s). The client closes
// it first, so no request is sent on a connection that the service is closing.
const keepAliveMs = 70_000;
// The gateway accepts headers of 16 KB and adds the caller with up to 200 permissions. With a lower limit, a client
// could make the service answer without our envelope, which the gateway counts as an upstream failure.
const headersMax = 64 * 1024;

/** Runs a service as a process. On SIGTERM it finishes the work in progress within the shutdown limits, then exits. */
export function startService<Ops extends Operations, Client, Settings extends ServiceSettings>(
  definition: ServiceDefinition<Ops, Client, Settings>,
): void {
  const { settings } = definition;
  const { app, log, health, closing } = createService(definition);
  const drain = createServerDrain();
  const server = createServer(
    // The gateway limits how long a body may take; the default of 5 minutes would cut off large uploads.
    { maxHeaderSize: headersMax, keepAliveTimeout: keepAliveMs, requestTimeout: 0, noDelay: true },
    (request, response) => {
      drain.track(request, response);
      app(request, response);
    },
  );
  drain.watch(server);
  server.on('error', (error) => {
    log.error('cannot listen', { error });
    process.exit(1);
  });
  server.listen(settings.PORT, settings.HOST, () =>
    log.info('listening', { host: settings.HOST, port: settings.PORT }),
  );
  onShutdown(log, [
    { name: 'readiness', withinMs: shutdownLimits.readinessMs, run: health.drain },
    drain.stopServer(server, { delayMs: settings.SHUTDOWN_DELAY_MS, log }),
    ...closing,
  ]);
}
