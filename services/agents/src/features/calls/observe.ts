import type { Metrics } from '@tandem/process';
import type { StartedCall, TelephonyDriver } from '@tandem/telephony';

/** A driver that counts how the provider answers. `measure` sets the metrics of the process. */
export interface ObservedDriver {
  telephony: TelephonyDriver;
  measure(metrics: Metrics): void;
}

const outcomes: readonly StartedCall['outcome'][] = ['started', 'refused', 'postponed', 'uncertain'];

/** Adds a metric to a driver. */
export function observed(driver: TelephonyDriver): ObservedDriver {
  let record = (_outcome: StartedCall['outcome']) => {};
  return {
    measure(metrics) {
      const starts = metrics.counter('call_starts_total', 'Calls that a provider was asked to start, by its answer', [
        'outcome',
      ]);
      // From zero on, so that the first failures are an increase.
      for (const outcome of outcomes) starts.inc({ outcome }, 0);
      record = (outcome) => starts.inc({ outcome });
    },
    telephony: {
      ...driver,
      async start(call) {
        const started = await driver.start(call);
        record(started.outcome);
        return started;
      },
    },
  };
}
