import { fail } from '@tandem/service';
import type { PartnerRecord } from '../partners/partner.ts';

/** @throws 409 unless the partner is approved */
export function checkApproved({ status }: Pick<PartnerRecord, 'status'>): void {
  if (status === 'approved') return;
  const message = `The partner is ${status}; only approved partners have active referral codes`;
  throw fail('partner_not_approved', [{ field: 'id', message }]);
}
