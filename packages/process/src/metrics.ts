import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** The metrics of one process. Names follow Prometheus conventions: base units, `_seconds`, `_total`. */
export interface Metrics {
  /** Counts one answered request and records its duration. */
  request(operation: string, status: number, seconds: number): void;
  counter<L extends string>(name: string, help: string, labels?: readonly L[]): Counter<L>;
  /** @param buckets upper bounds in seconds; by default 1 ms to 10 s */
  histogram<L extends string>(
    name: string,
    help: string,
    labels?: readonly L[],
    buckets?: readonly number[],
  ): Histogram<L>;
  /**
   * Registers a gauge; `read` runs at every scrape and sets it. A gauge whose read fails or takes longer than a second
   * is left out of that scrape and counted in `tandem_scrape_errors_total`; the other gauges are still served.
   */
  gauge<L extends string>(
    name: string,
    help: string,
    labels?: readonly L[],
    read?: (gauge: Gauge<L>) => void | Promise<void>,
  ): Gauge<L>;
  /** All metrics in the Prometheus text format. */
  text(): Promise<string>;
}

// Sampling interval of the event loop delay. The default of prom-client, 10 ms, wakes an idle process a hundred times a
// second, which costs ten idle services 5 % of a core.
const loopDelayMs = 100;
const gaugeTimeoutMs = 1_000;
const secondsBuckets = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Histogram buckets for delays of events and jobs: most are below a second, after an outage they are hours. */
export const delayBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200];

/** Creates the metrics of one process; every name begins with `tandem_` or is a default of prom-client. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: loopDelayMs });
  const registers = [registry];
  const seconds = new Histogram({
    name: 'tandem_request_duration_seconds',
    help: 'Time from reading the request to sending the response',
    labelNames: ['operation'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  });
  const responses = new Counter({
    name: 'tandem_requests_total',
    help: 'Completed requests',
    labelNames: ['operation', 'status'] as const,
    registers,
  });
  const scrapeErrors = new Counter({
    name: 'tandem_scrape_errors_total',
    help: 'Gauges missing from a scrape because they could not be read within a second',
    labelNames: ['gauge'] as const,
    registers,
  });
  return {
    request(operation, status, took) {
      seconds.observe({ operation }, took);
      responses.inc({ operation, status });
    },
    counter: (name, help, labelNames = []) => new Counter({ name: `tandem_${name}`, help, labelNames, registers }),
    histogram: (name, help, labelNames = [], buckets = secondsBuckets) =>
      new Histogram({ name: `tandem_${name}`, help, labelNames, buckets: [...buckets], registers }),
    gauge: (name, help, labelNames = [], read) => {
      const options = { name: `tandem_${name}`, help, labelNames, registers };
      if (!read) return new Gauge(options);
      // Starts at zero, so that Prometheus sees the first error as an increase.
      scrapeErrors.inc({ gauge: options.name }, 0);
      const readInTime = boundedRead(read);
      return new Gauge({
        ...options,
        async collect() {
          if (await readInTime(this)) return;
          // Without the reset, the scrape would show the last successful value for as long as reading fails.
          if (labelNames.length) this.reset();
          else this.remove();
          scrapeErrors.inc({ gauge: options.name });
        },
      });
    },
    text: () => registry.metrics(),
  };
}

/**
 * Bounds a read to one second and resolves to whether it succeeded. Later scrapes wait for a slow read instead of
 * repeating it.
 */
function boundedRead<G>(read: (gauge: G) => void | Promise<void>): (gauge: G) => Promise<boolean> {
  let underWay: Promise<boolean> | undefined;
  const succeeds = async (gauge: G): Promise<boolean> => {
    try {
      await read(gauge);
      return true;
    } catch {
      // The failing component logs its own error; the scrape only counts it.
      return false;
    } finally {
      underWay = undefined;
    }
  };
  return async (gauge) => {
    underWay ??= succeeds(gauge);
    const timeout = Promise.withResolvers<boolean>();
    const timer = setTimeout(timeout.resolve, gaugeTimeoutMs, false);
    try {
      return await Promise.race([underWay, timeout.promise]);
    } finally {
      clearTimeout(timer);
    }
  };
}

/**
 * Caches the result of an expensive read for some seconds, shared by all scrapes and gauges. Failures are not cached.
 */
export function readEvery<T>(seconds: number, read: () => Promise<T>): () => Promise<T> {
  let last: { value: Promise<T>; at: number } | undefined;
  return () => {
    if (last && performance.now() - last.at < seconds * 1_000) return last.value;
    const made = { value: read(), at: performance.now() };
    last = made;
    made.value.catch(() => {
      if (last === made) last = undefined;
    });
    return made.value;
  };
}
