import type { Referral } from '@tandem/partner-contract';
import type { z } from 'zod';
import type { Referral as ReferralRow } from '../../generated/client.ts';

/** A row as the contract shows it. */
export function asReferral(row: ReferralRow): z.output<typeof Referral> {
  return row as unknown as z.output<typeof Referral>;
}
