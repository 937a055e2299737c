import { Referral, ReferralConflict } from '@tandem/partner-contract';
import { exportSection, type PersonalData } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { asConflict } from '../referrals/conflict.ts';
import { asReferral } from '../referrals/referral.ts';

/**
 * The data of a person in partner: the attribution to a partner. It stays with the number of the lead, because commissions
 * are paid by it, but without the id that the person has in another system and the click by which the person came.
 */
export const partnerData: PersonalData<Tx> = {
  async erase({ tx, person: { leadIds } }) {
    const where = { leadId: { in: leadIds }, OR: [{ externalId: { not: null } }, { clickId: { not: null } }] };
    const data = { externalId: null, clickId: null };
    const { count } = await tx.referral.updateMany({ where, data });
    const conflicts = await tx.referralConflict.updateMany({ where, data });
    return { referrals: count + conflicts.count };
  },
  async read({ tx, person: { leadIds } }) {
    const where = { leadId: { in: leadIds } };
    return [
      await exportSection('referrals', Referral, {
        count: () => tx.referral.count({ where }),
        find: async (take) => (await tx.referral.findMany({ where, orderBy: { id: 'desc' }, take })).map(asReferral),
      }),
      await exportSection('referral_conflicts', ReferralConflict, {
        count: () => tx.referralConflict.count({ where }),
        find: async (take) =>
          (await tx.referralConflict.findMany({ where, orderBy: { id: 'desc' }, take })).map(asConflict),
      }),
    ];
  },
};
