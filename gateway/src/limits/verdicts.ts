import type { Batch } from './account.ts';
import type { Verdict } from './allowance.ts';
import type { Counted } from './counters.ts';

/** The verdicts of a batch in the order of its calls, each with the counters after that call. */
export function verdictsOf(batch: Batch, counted: Counted, windowMs: number): Verdict[] {
  const { now, addresses } = counted;
  const end = counted.window + windowMs;
  const reset = Math.ceil(end / 1_000);
  const resetIn = Math.max(1, Math.ceil((end - now) / 1_000));
  let { tenant, month } = counted;
  const verdicts: Verdict[] = [];
  for (const [index, [address, calls, counts]] of batch.runs.entries()) {
    for (let call = 0; call < calls; call++) {
      const { perMinute, burst, quota } = (batch.waiters[verdicts.length] as Batch['waiters'][number]).allowance;
      const allowed = call < (counted.granted[index] as number);
      if (allowed) {
        tenant++;
        month += counts;
        addresses[address - 1] = (addresses[address - 1] as number) + 1;
      }
      const used = Math.max(tenant, addresses[address - 1] as number);
      verdicts.push({
        allowed,
        ...(!allowed && { reason: used >= perMinute + burst ? 'rate_limited' : 'quota_exceeded' }),
        limit: perMinute,
        remaining: Math.max(0, perMinute - used),
        reset,
        resetIn,
        usage: quota && month,
        degraded: false,
      });
    }
  }
  return verdicts;
}
