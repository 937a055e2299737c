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
    const earlier = await findByExternalId(tx, externalId);
    if (earlier) {
      wasThere();
      return asReferral(earlier);
    }
    // Unreachable: `check` found a referral, and referrals are never deleted.
    if (!lead) throw fail('not_found');
    const { partnerId, person, code } = await findPartner(tx, body);
    const status = statusOf(lead, person);
    const data = [{ partnerId, leadId, code, status, externalId, createdBy: actingUserId(caller) ?? null }];
    const [row] = await tx.referral.createManyAndReturn({ data, skipDuplicates: true });
    if (!row) {
      // A concurrent request created a referral with the same externalId or for the same lead.
      const concurrent = await findByExternalId(tx, externalId);
      if (!concurrent)
        throw fail('already_referred', [{ field: 'leadId', message: 'The lead is already referred by a partner' }]);
      wasThere();
      return asReferral(concurrent);
    }
    emit(referralAttributed, { data: { referralId: row.id, partnerId, leadId }, record: asReferral(row) });
    return asReferral(row);
  },
});

async function findByExternalId(tx: Tx, externalId: string | null | undefined) {
  return externalId ? tx.referral.findFirst({ where: { externalId } }) : null;
}

async function findPartner(tx: Tx, input: { partnerId?: number | null | undefined; code?: string | null | undefined }) {
  const { partnerId, code } = input;
  if ((partnerId ?? undefined) !== undefined && code)
    throw failField('code', 'Send either partnerId or code, not both');
  const known = code ? await tx.referralCode.findFirst({ where: { code } }) : null;
  if (code && !known) throw failField('code', 'No partner with this referral code');
  const id = known?.partnerId ?? partnerId;
  if (!id) throw failField('partnerId', 'Is required unless code is sent');
  const field = known ? 'code' : 'partnerId';
  // Shared lock: blocks concurrent status changes, but not other referrals of the same partner.
  const [partner] = await tx.sql<Person & { status: string }>`
    SELECT status, email, first_name AS "firstName", last_name AS "lastName" FROM partner WHERE id = ${id} FOR SHARE`;
  if (!partner) throw failField(field, unknownId('partner'));
  if (partner.status !== 'approved')
    throw fail('partner_not_approved', [{ field, message: `The partner is ${partner.status}; only approved partners can refer leads` }]);
  return { partnerId: id, person: partner, code: known?.code ?? null };
}
