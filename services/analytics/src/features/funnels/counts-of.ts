import type { Funnel } from '@tandem/analytics-contract';
import type { z } from 'zod';
import { rate } from '../dashboard/numbers.ts';
import type { FunnelCounts } from './evaluate.ts';

/** The counts of a funnel as a response shows them. */
export function countsOf(
  { counts, medianSeconds, pending }: FunnelCounts,
  names: string[],
): Pick<z.output<typeof Funnel>, 'steps' | 'pending'> {
  const steps = names.map((name, step) => ({
    name,
    count: counts[step] as number,
    fromPrevious: step ? rate(counts[step] as number, counts[step - 1] as number) : null,
    fromStart: rate(counts[step] as number, counts[0] as number),
    medianSeconds: medianSeconds[step] ?? null,
  }));
  return { steps, pending };
}
