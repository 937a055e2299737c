import { event, id, text } from '@tandem/contract';
import { z } from 'zod';

const examplePartnerId = 'Wq8ZtR3mKx61LdVb';
const exampleCommissionId = 'pJ4sYc9TnG2hXe7Q';
/** Major units; a commission that takes back a paid one is negative. */
const Amount = z.number();

export const partnerRegistered = event('partner.registered', {
  group: 'partners',
  description: 'A new partner registers',
  action: 'partner.register',
  target: 'partner',
  data: z.object({ partnerId: id('partner'), company: text(200).nullable() }),
  record: z.object({ id: id('partner'), company: text(200).nullable() }),
  example: { partnerId: examplePartnerId, company: 'Lovelace Consulting' },
});

export const partnerApproved = event('partner.approved', {
  group: 'partners',
  description: 'A partner is approved for the program',
  action: 'partner.approve',
  target: 'partner',
  data: z.object({ partnerId: id('partner') }),
  record: z.object({ id: id('partner') }),
  example: { partnerId: examplePartnerId },
});

export const commissionEarned = event('commission.earned', {
  group: 'commissions',
  description: 'A commission is recorded',
  action: 'commission.earn',
  target: 'commission',
  data: z.object({ commissionId: id('commission'), amount: Amount, partnerId: id('partner') }),
  record: z.object({ id: id('commission'), partnerId: id('partner'), amount: Amount }),
  example: { commissionId: exampleCommissionId, amount: 125.5, partnerId: examplePartnerId },
});

export const commissionPaid = event('commission.paid', {
  group: 'commissions',
  description: 'A commission is paid out',
  action: 'commission.pay',
  target: 'commission',
  data: z.object({ commissionId: id('commission'), amount: Amount }),
  record: z.object({ id: id('commission'), amount: Amount }),
  example: { commissionId: exampleCommissionId, amount: 125.5 },
});
