import type { referralCodes } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { activateReferralCode } from './activate-referral-code.ts';
import type { ClickBuffer } from './click-buffer.ts';
import { createReferralCode } from './create-referral-code.ts';
import { deactivateReferralCode } from './deactivate-referral-code.ts';
import { findReferralCode } from './find-referral-code.ts';
import { followReferralLink } from './follow-referral-link.ts';
import { linkTargets } from './link-targets.ts';
import { listReferralCodes } from './list-referral-codes.ts';
import { updateReferralCode } from './update-referral-code.ts';

export const referralCodeHandlers = (tools: Tools, buffer: ClickBuffer) =>
  ({
    createReferralCode: createReferralCode(tools),
    listReferralCodes: listReferralCodes(tools),
    updateReferralCode: updateReferralCode(tools),
    activateReferralCode: activateReferralCode(tools),
    deactivateReferralCode: deactivateReferralCode(tools),
    findReferralCode,
    followReferralLink: followReferralLink(tools, { find: linkTargets(), buffer }),
  }) satisfies Handlers<typeof referralCodes, Tx>;
