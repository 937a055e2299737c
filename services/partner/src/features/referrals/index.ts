import type { internalRebuilds, referrals } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { createReferral } from './create-referral.ts';
import { rebuildReferrals } from './rebuild-referrals.ts';

export const referralHandlers = (tools: Tools) =>
  ({
    createReferral: createReferral(tools),
    rebuildReferrals: rebuildReferrals(tools),
  }) satisfies Handlers<typeof referrals & typeof internalRebuilds, Tx>;
