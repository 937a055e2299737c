import type { TierCause } from '@tandem/partner-contract';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import type { TierName } from './tier-rules.ts';

interface Change {
  partnerId: number;
  /** Null for the first tier of a partner. */
  from: TierName | null;
  to: TierName;
  cause: z.output<typeof TierCause>;
  createdBy: number | null;
}

/** Adds a tier to the history of a partner. */
export async function recordTier(tx: Tx, { from: fromTier, to: toTier, ...change }: Change): Promise<void> {
  await tx.tierChange.create({ data: { ...change, fromTier, toTier } });
}
