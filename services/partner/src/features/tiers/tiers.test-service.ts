import { partnerTiers } from '@tandem/partner-contract';
import type { Api } from '../../partner.test-service.ts';

/** All four tiers, of which the given ones have requirements. */
export const tiersWith = (requirements: Record<string, object>) => ({
  tiers: partnerTiers.map((tier) => ({ tier, ...requirements[tier] })),
});

/** Sets the tiers of the tenant, of which the given ones have requirements. */
export const setTiers = (api: Api, requirements: Record<string, object>) =>
  api.setPartnerTiers({ body: tiersWith(requirements) });
