import { DealRegistration, Referral, ReferralConflict } from '@tandem/partner-contract';
import { exportSection, type PersonalData } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { asDeal } from '../deal-registrations/deal-registration.ts';
import { asConflict } from '../referrals/conflict.ts';
import { asReferral } from '../referrals/referral.ts';

const batchMax = 500;
/** Replaces what is erased; the address is one that cannot exist. */
const erased = { contactFirstName: 'Erased', contactLastName: 'Erased', contactEmail: 'erased@erased.invalid' };

/**
 * The data of a person in partner: the attribution to a partner, and the deals that partners have registered with the person
 * as the contact. The attribution stays with the number of the lead, because commissions are paid by it, but without the id
 * that the person has in another system and the click by which the person came. Registrations stay without the contact, because they protect the company.
 */
export const partnerData: PersonalData<Tx> = {
  async erase({ tx, person: { leadIds, emails } }) {
    const where = { leadId: { in: leadIds }, OR: [{ externalId: { not: null } }, { clickId: { not: null } }] };
    const data = { externalId: null, clickId: null };
    const { count: referrals } = await tx.referral.updateMany({ where, data });
    const { count: conflicts } = await tx.referralConflict.updateMany({ where, data });
    const deals = await tx.dealRegistration.findMany({
      where: { OR: contactIs({ leadIds, emails }), contactEmailKey: { not: '' } },
      orderBy: { id: 'asc' },
      take: batchMax,
      select: { id: true },
    });
    const { count: dealRegistrations } = await tx.dealRegistration.updateMany({
      where: { id: { in: deals.map(({ id }) => id) } },
      data: {
        ...erased,
        contactEmailKey: '',
        mailboxKey: null,
        contactPhone: null,
        notes: null,
        version: { increment: 1 },
      },
    });
    // The release before leaves the mailbox.
    await tx.dealRegistration.updateMany({
      where: { contactEmailKey: '', mailboxKey: { not: null } },
      data: { mailboxKey: null },
    });
    return { referrals: referrals + conflicts, dealRegistrations };
  },
  async read({ tx, person: { leadIds, emails } }) {
    const where = { leadId: { in: leadIds } };
    const registered = { OR: contactIs({ leadIds, emails }) };
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
      await exportSection('dealRegistrations', DealRegistration, {
        count: () => tx.dealRegistration.count({ where: registered }),
        find: async (take) =>
          (await tx.dealRegistration.findMany({ where: registered, orderBy: { id: 'desc' }, take })).map(asDeal),
      }),
    ];
  },
};

function contactIs({ leadIds, emails }: { leadIds: number[]; emails: string[] }) {
  return [{ leadId: { in: leadIds } }, { contactEmailKey: { in: emails } }];
}
