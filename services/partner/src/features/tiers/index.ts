import type { tiers } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { evaluatePartnerTier } from './evaluate-partner-tier.ts';
import { getPartnerTiers } from './get-partner-tiers.ts';
import { listTierChanges } from './list-tier-changes.ts';
import { setPartnerTiers } from './set-partner-tiers.ts';

export const tierHandlers = (tools: Tools) =>
  ({
    getPartnerTiers,
    setPartnerTiers: setPartnerTiers(tools),
    evaluatePartnerTier: evaluatePartnerTier(tools),
    listTierChanges,
  }) satisfies Handlers<typeof tiers, Tx>;
