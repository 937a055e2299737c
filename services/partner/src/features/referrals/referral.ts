import type { Referral, referralStatuses } from '@tandem/partner-contract';
import type { z } from 'zod';
import type { Referral as ReferralRow } from '../../generated/client.ts';

/** Whoever refers themselves gets no share of what they buy. */
export function statusOf(lead: { email: string }, partner: { emailKey: string }): (typeof referralStatuses)[number] {
  return lead.email.toLowerCase() === partner.emailKey ? 'flagged' : 'attributed';
}

/** A row as the contract shows it. */
export function asReferral(row: ReferralRow): z.output<typeof Referral> {
  return row as unknown as z.output<typeof Referral>;
}
