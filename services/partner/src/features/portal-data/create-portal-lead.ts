import type { portalData } from '@tandem/partner-contract';
import { asService, currentLeads, fail } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { creditWaiting } from '../credit-partners.ts';
import { readOwnPartner } from '../portal/own-partner.ts';
import { attribute, type Touch } from '../referrals/attribute.ts';
import { holds } from '../referrals/last-touch.ts';
import type { FoundLead } from '../referrals/lead-of-request.ts';
import { lockLeads } from '../referrals/lock-leads.ts';
import { type Judgement, judge } from '../referrals/referral.ts';
import { lockApprovedPartner } from '../referrals/touch-of-request.ts';
import { asPortalLead, type Disclosure, type LeadOfPartner, readDisclosure } from './disclosed.ts';

const perHour = { failuresMax: 100, windowMs: 3_600_000 };

interface Found {
  lead: FoundLead & LeadOfPartner;
  disclosure: Disclosure;
}

export const createPortalLead = (tools: Tools): Handler<typeof portalData.createPortalLead, Found> => ({
  async check({ body, caller, tx }) {
    const { id: partnerId } = await readOwnPartner(tx, caller);
    const who = `portal leads ${caller.tenantId} ${caller.environment} ${partnerId}`;
    // Each submission counts.
    await tools.limiter.guard({ email: who, ip: '' }, async () => undefined, perHour);
    const { email, firstName, lastName, phone } = body;
    const as = asService(caller);
    const upsert = {
      email,
      firstName,
      lastName,
      ...(phone && { phone }),
      source: 'referral' as const,
      partnerId,
      onlyNew: true,
    };
    const { leadId, created } = await tools.peers.crm.upsertLeadByEmail({ body: upsert, as });
    const [lead] = await tools.peers.crm.findLeads({ body: { ids: [leadId] }, as });
    if (!lead) throw fail('already_referred');
    // Knowing an address is no claim to a lead that the team has already. A repeated request finds the lead of the first one.
    if (!created && lead.partnerId !== partnerId) throw fail('already_referred');
    return { lead, disclosure: await readDisclosure(tools, caller) };
  },
  async run({ body, found: { lead, disclosure }, caller, tx, emit, schedule }) {
    const { id: partnerId } = await readOwnPartner(tx, caller);
    const now = new Date();
    await lockLeads(tx, [lead.id, ...(await currentLeads(tx, [lead.id])).values()]);
    if (await isOfOther(tx, lead.id, partnerId)) throw fail('already_referred');
    const partner = await lockApprovedPartner(tx, partnerId, 'partnerId');
    const [judgement] = await judge(tx, [{ lead, partner: { ...partner, partnerId } }]);
    const touch: Touch = {
      leadId: lead.id,
      partnerId,
      code: null,
      clickId: null,
      source: 'manual',
      ...(judgement as Judgement),
      occurredAt: now,
      externalId: null,
      createdBy: null,
      createdAt: now,
    };
    const outcome = (await attribute({ tx, emit, schedule }, [touch])).get(touch);
    // Why it lost would tell about another partner; the attempt is stored nevertheless.
    if (!outcome || !('referral' in outcome)) throw fail('already_referred', [], { keepsWrites: true });
    const { referral } = outcome;
    if (referral.status === 'attributed') await creditWaiting([referral.leadId], { tx, emit, schedule });
    // The reply has only the submitted values, because the data of the team is not for partners.
    const submitted = { status: lead.status, ...body, phone: body.phone ?? null };
    return asPortalLead(referral, submitted, disclosure === 'none' ? 'none' : 'contacts');
  },
});

/** Knowing an address is no touch, so a submission does not take over the lead of another partner. */
async function isOfOther(tx: Tx, leadId: number, partnerId: number): Promise<boolean> {
  const current = (await currentLeads(tx, [leadId])).get(leadId) ?? leadId;
  const held = await tx.referral.findFirst({
    where: { leadId: current, partnerId: { not: partnerId }, ...holds },
    select: { id: true },
  });
  return held !== null;
}
