import type { internalRebuilds, referrals } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { clearReferral } from './clear-referral.ts';
import { createReferral } from './create-referral.ts';
import { listPartnerReferrals } from './list-partner-referrals.ts';
import { listReferralConflicts } from './list-referral-conflicts.ts';
import { listReferrals } from './list-referrals.ts';
import { reassignReferral } from './reassign-referral.ts';
import { rebuildReferrals } from './rebuild-referrals.ts';
import { voidReferral } from './void-referral.ts';

export const referralHandlers = (tools: Tools) =>
  ({
    createReferral: createReferral(tools),
    listPartnerReferrals,
    listReferrals,
    listReferralConflicts,
    reassignReferral,
    clearReferral,
    voidReferral,
    rebuildReferrals: rebuildReferrals(tools),
  }) satisfies Handlers<typeof referrals & typeof internalRebuilds, Tx>;
