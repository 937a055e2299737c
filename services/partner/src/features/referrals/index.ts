import type { referrals } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { createReferral } from './create-referral.ts';

export const referralHandlers = (tools: Tools) =>
  ({ createReferral: createReferral(tools) }) satisfies Handlers<typeof referrals, Tx>;
