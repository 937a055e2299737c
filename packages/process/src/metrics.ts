import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  registry: Registry;
  /** Counts one answered request and its time. */
  request(operation: string, status: number, seconds: number): void;
  counter<L extends string>(name: string, help: string, labels?: readonly L[]): Counter<L>;
  /** `read` runs at every scrape and sets the gauge. */
  gauge<L extends string>(
    name: string,
    help: string,
    labels?: readonly L[],
    read?: (gauge: Gauge<L>) => void | Promise<void>,
  ): Gauge<L>;
  /** Prometheus text. */
  text(): Promise<string>;
}

// How often prom-client looks how late the event loop is. Its 10 ms wake an idle process a hundred times a second, which ten
// services at rest pay with a twentieth of a core.
const loopDelayMs = 100;

/** The metrics of one process; every name begins with `tandem_` or is a default of prom-client. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: loopDelayMs });
  const registers = [registry];
  const seconds = new Histogram({
    name: 'tandem_request_duration_seconds',
    help: 'Time from the request read to the answer sent',
    labelNames: ['operation'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  });
  const answered = new Counter({
    name: 'tandem_requests_total',
    help: 'Requests answered',
    labelNames: ['operation', 'status'] as const,
    registers,
  });
  return {
    registry,
    request(operation, status, took) {
      seconds.observe({ operation }, took);
      answered.inc({ operation, status });
    },
    counter: (name, help, labelNames = []) => new Counter({ name: `tandem_${name}`, help, labelNames, registers }),
    gauge: (name, help, labelNames = [], read) =>
      new Gauge({
        name: `tandem_${name}`,
        help,
        labelNames,
        registers,
        ...(read && {
          async collect() {
            await read(this);
          },
        }),
      }),
    text: () => registry.metrics(),
  };
}
