import type { TracerProvider } from '@opentelemetry/sdk-trace';
import { type Log, type Metrics, recordSpansWith } from '@tandem/process';

/** The running export of spans. */
export interface Telemetry {
  /** Stops recording and exports the buffered spans, for at most 0.8 s. */
  close(): Promise<void>;
}

interface Options {
  /** The value of `service.name`. */
  service: string;
  log: Log;
  metrics: Metrics;
  /** The environment variables; those of the process by default. */
  env?: NodeJS.ProcessEnv;
}

const off: Telemetry = { close: async () => {} };
// Below the limit of the shutdown step (`telemetryMs` in packages/process): a collector that hangs must not fail the step.
const flushMs = 800;

/**
 * Starts recording spans and exporting them by OTLP over HTTP if `OTEL_EXPORTER_OTLP_ENDPOINT` is set; otherwise does
 * nothing and loads nothing. Reads the environment variables of the OpenTelemetry specification: the endpoint, headers,
 * timeout and compression of the exporter, `OTEL_EXPORTER_OTLP_PROTOCOL` (`http/protobuf`, the default, or
 * `http/json`), `OTEL_TRACES_SAMPLER` with its argument, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_SDK_DISABLED`. An
 * unsupported sampler or protocol ends the process, like any other invalid setting.
 */
export function startTelemetry({ env = process.env, ...options }: Options): Telemetry {
  if (!env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_SDK_DISABLED === 'true') return off;
  const started = load({ ...options, env }).catch((error: unknown) => {
    options.log.error('tracing could not be started', { error });
    process.exit(1);
  });
  return {
    async close() {
      const provider = await started;
      recordSpansWith(undefined);
      const timeout = Promise.withResolvers<void>();
      const timer = setTimeout(timeout.resolve, flushMs);
      // The exporter counts and logs failures; shutdown must not depend on the collector.
      await Promise.race([provider.shutdown().catch(() => {}), timeout.promise]);
      clearTimeout(timer);
    },
  };
}

/** Loads the SDK on demand: a process without a collector pays neither its startup time nor its memory. */
async function load(options: Required<Options>): Promise<TracerProvider> {
  const { createProvider } = await import('./provider.ts');
  const provider = await createProvider(options);
  recordSpansWith(provider.getTracer('tandem'));
  return provider;
}
