import type { TracerProvider } from '@opentelemetry/sdk-trace';
import { type Log, type Metrics, recordSpansWith } from '@tandem/process';

/** The running export of spans. */
export interface Telemetry {
  /** Stops recording and sends what waits, for at most 2 s. */
  close(): Promise<void>;
}

interface Options {
  /** The value of `service.name`. */
  service: string;
  log: Log;
  metrics: Metrics;
  /** The settings; those of the process by default. */
  env?: NodeJS.ProcessEnv;
}

const off: Telemetry = { close: async () => {} };
const flushMs = 2_000;

/**
 * Starts to record spans and to send them by OTLP over HTTP when `OTEL_EXPORTER_OTLP_ENDPOINT` is set; otherwise does
 * nothing and loads nothing. Read from the environment, as the OpenTelemetry specification defines them: the endpoint,
 * headers, timeout and compression of the exporter, `OTEL_EXPORTER_OTLP_PROTOCOL` (`http/protobuf`, the default, or
 * `http/json`), `OTEL_TRACES_SAMPLER` with its argument, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_SDK_DISABLED`.
 * A sampler or protocol that is not supported ends the process, like any other setting that is wrong.
 */
export function startTelemetry({ env = process.env, ...options }: Options): Telemetry {
  if (!env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_SDK_DISABLED === 'true') return off;
  const started = load({ ...options, env }).catch((error: unknown) => {
    options.log.error('spans cannot be recorded', { error });
    process.exit(1);
  });
  return {
    async close() {
      const provider = await started;
      recordSpansWith(undefined);
      const timeout = Promise.withResolvers<void>();
      const timer = setTimeout(timeout.resolve, flushMs);
      // The exporter counts and logs failures; the end of the process must not depend on the collector.
      await Promise.race([provider.shutdown().catch(() => {}), timeout.promise]);
      clearTimeout(timer);
    },
  };
}

/** Loads the SDK only here: a process without a collector pays neither its start time nor its memory. */
async function load(options: Required<Options>): Promise<TracerProvider> {
  const { createProvider } = await import('./provider.ts');
  const provider = await createProvider(options);
  recordSpansWith(provider.getTracer('tandem'));
  return provider;
}
