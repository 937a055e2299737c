import type { Metrics } from '@tandem/process';
import type { Limiter } from './allowance.ts';
import type { UsageMeter } from './usage.ts';

/** Registers metrics of the limiter, and of the difference between the counters and the recorded usage. */
export function measureLimits(metrics: Metrics, { limiter, usage }: { limiter: Limiter; usage: UsageMeter }): void {
  metrics.gauge('limiter_calls', 'API calls decided with Redis since the process started', [], (gauge) =>
    gauge.set(limiter.stats().calls),
  );
  metrics.gauge('limiter_script_calls', 'Calls of the Redis script that decided them', [], (gauge) =>
    gauge.set(limiter.stats().scriptCalls),
  );
  metrics.gauge('limiter_gateways', 'Gateway processes that share the limits', [], (gauge) =>
    gauge.set(limiter.stats().gateways),
  );
  metrics.gauge(
    'usage_unrecorded_calls',
    'Calls counted towards monthly usage but not recorded yet: in flight, or waiting for the next report',
    [],
    (gauge) => gauge.set(limiter.stats().counted - usage.recorded()),
  );
  metrics.gauge(
    'usage_corrected_calls',
    'Calls by which the counters of terminated gateways were corrected to match their recorded usage',
    [],
    (gauge) => gauge.set(limiter.stats().corrected),
  );
}
