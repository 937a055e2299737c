import { actingUserId } from '@tandem/caller';
import { unknownId } from '@tandem/contract';
import { referralAttributed, type referrals } from '@tandem/partner-contract';
import { asService, fail, failField, reachOf } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { asReferral, type Person, statusOf } from './referral.ts';

export const createReferral = ({ peers }: Tools): Handler<typeof referrals.createReferral, Person | undefined> => ({
  async check({ body, caller, tx }) {
    if (await findByExternalId(tx, body.externalId)) return undefined;
    const as = asService(caller, reachOf(caller, 'leads:read'));
    const [lead] = await peers.crm.findLeads({ body: { ids: [body.leadId] }, as });
    if (!lead) throw failField('leadId', unknownId('lead'));
    return lead;
  },
  async run({ body, found: lead, caller, tx, emit, wasThere }) {
    const { leadId, externalId = null } = body;
    const existing = await findByExternalId(tx, externalId);
    if (existing) {
      wasThere();
      return asReferral(existing);
    }
    // Unreachable: `check` found a referral, and referrals are never deleted.
    if (!lead) throw fail('not_found');
    const { partnerId, code, field } = await findPartnerId(tx, body);
    const partner = await lockApprovedPartner(tx, partnerId, field);
    const status = statusOf(lead, partner);
    const data = [{ partnerId, leadId, code, status, externalId, createdBy: actingUserId(caller) ?? null }];
    const [row] = await tx.referral.createManyAndReturn({ data, skipDuplicates: true });
    if (row) {
      const referral = asReferral(row);
      emit(referralAttributed, { data: { referralId: row.id, partnerId, leadId }, record: referral });
      return referral;
    }
    // A concurrent request created a referral with the same externalId or for the same lead.
    const concurrent = await findByExternalId(tx, externalId);
    if (!concurrent)
      throw fail('already_referred', [{ field: 'leadId', message: 'The lead is already referred by a partner' }]);
    wasThere();
    return asReferral(concurrent);
  },
});

async function findByExternalId(tx: Tx, externalId: string | null | undefined) {
  return externalId ? tx.referral.findFirst({ where: { externalId } }) : null;
}

interface PartnerInput {
  partnerId?: number | null | undefined;
  code?: string | null | undefined;
}

/** Finds the partner by `partnerId` or by `code`, and the field that identified it. */
async function findPartnerId(tx: Tx, { partnerId, code }: PartnerInput) {
  if (partnerId && code) throw failField('code', 'Send either partnerId or code, not both');
  if (partnerId) return { partnerId, code: null, field: 'partnerId' };
  if (!code) throw failField('partnerId', 'Is required unless code is sent');
  const known = await tx.referralCode.findFirst({ where: { code } });
  if (!known) throw failField('code', 'No partner with this referral code');
  return { partnerId: known.partnerId, code: known.code, field: 'code' };
}

/** Locks the partner against status changes, but not against other referrals of the same partner. */
async function lockApprovedPartner(tx: Tx, id: number, field: string): Promise<Person> {
  const [partner] = await tx.sql<Person & { status: string }>`
    SELECT status, email, first_name AS "firstName", last_name AS "lastName" FROM partner WHERE id = ${id} FOR SHARE`;
  if (!partner) throw failField(field, unknownId('partner'));
  if (partner.status === 'approved') return partner;
  const message = `The partner is ${partner.status}; only approved partners can refer leads`;
  throw fail('partner_not_approved', [{ field, message }]);
}
