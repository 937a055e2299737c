import type { Emit } from '@tandem/events';
import { partnerTierChanged, type TierCause } from '@tandem/partner-contract';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import type { PartnerRecord } from '../partners/partner.ts';
import type { TierName } from './tier-rules.ts';

interface Change {
  from: TierName;
  cause: z.output<typeof TierCause>;
  /** The user who set the tier; null for an evaluation. */
  createdBy: number | null;
  /** Changes for the audit log; by default only that of the tier. */
  changes?: Record<string, { from: unknown; to: unknown }>;
}

/** Adds the first tier of a partner to its history. */
export async function recordFirstTier(
  tx: Tx,
  { id: partnerId, tier: toTier, createdBy }: PartnerRecord,
): Promise<void> {
  await tx.tierChange.create({ data: { partnerId, fromTier: null, toTier, cause: 'registration', createdBy } });
}

/** Adds the new tier of a partner to its history, and announces it. */
export async function recordChange(
  { tx, emit }: { tx: Tx; emit: Emit<typeof partnerTierChanged> },
  partner: PartnerRecord,
  { from, cause, createdBy, changes }: Change,
): Promise<void> {
  const { id: partnerId, tier: to } = partner;
  await tx.tierChange.create({ data: { partnerId, fromTier: from, toTier: to, cause, createdBy } });
  const data = { partnerId, from, to, cause };
  emit(partnerTierChanged, { data, record: partner, changes: changes ?? { tier: { from, to } } });
}
