import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import { type Log, type Metrics, randomHex } from '@tandem/process';
import { samplerOf } from './sampler.ts';

const protocolDefault = 'http/protobuf';
// A traced request has 5 to 20 spans. Spans beyond the queue limit are dropped: the collector is down or too slow.
const queueMax = 4_096;
const batchMax = 512;
const everyMs = 1_000;
const exportTimeoutMs = 10_000;

/** The SDK of one process, with a bounded queue in front of the exporter. */
export async function createProvider(options: {
  service: string;
  log: Log;
  metrics: Metrics;
  env: NodeJS.ProcessEnv;
}): Promise<TracerProvider> {
  const { service, env } = options;
  const own = resourceFromAttributes({
    'service.name': service,
    'service.namespace': 'tandem',
    'service.instance.id': randomHex(8),
  });
  const exporter = countingFailures(await exporterFor(env.OTEL_EXPORTER_OTLP_PROTOCOL || protocolDefault), options);
  return new TracerProvider({
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(env),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: queueMax,
        maxExportBatchSize: batchMax,
        scheduledDelayMillis: everyMs,
        exportTimeoutMillis: exportTimeoutMs,
      }),
    ],
  });
}

/** The exporters read endpoint, headers, timeout and compression from the environment themselves. */
async function exporterFor(protocol: string): Promise<SpanExporter> {
  if (protocol === 'http/json') {
    const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
    return new OTLPTraceExporter();
  }
  if (protocol === protocolDefault) {
    const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-proto');
    return new OTLPTraceExporter();
  }
  throw new Error(`OTEL_EXPORTER_OTLP_PROTOCOL is ${protocol}; http/protobuf and http/json are supported`);
}

/** Counts spans that the collector did not accept, and logs the first failure and the recovery of an outage. */
function countingFailures(exporter: SpanExporter, { log, metrics }: { log: Log; metrics: Metrics }): SpanExporter {
  const lost = metrics.counter('spans_lost_total', 'Spans that could not be exported to the OpenTelemetry collector');
  let isAway = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const hasFailed = result.code !== 0;
        if (hasFailed) lost.inc(spans.length);
        if (hasFailed && !isAway)
          log.warn('exporting spans to the OpenTelemetry collector failed', { error: result.error });
        if (!hasFailed && isAway) log.info('exporting spans to the OpenTelemetry collector works again');
        isAway = hasFailed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
