import type { internalRegisteredDeals } from '@tandem/crm-contract';
import { type Assignee, checkUser, fail } from '@tandem/service';
import { lockNamed } from '@tandem/tenant-db';
import type { z } from 'zod';
import { defaultCurrency } from '../../default-currency.ts';
import type { Handler, Peers, Tx } from '../../handler.ts';
import { insertLead } from '../leads/create-lead.ts';
import { lockLeadByEmail } from '../leads/upsert-lead-by-email.ts';
import { markConverted } from './convert-lead.ts';
import { openOpportunity, teamOfNew } from './new-opportunity.ts';

type Body = z.output<typeof internalRegisteredDeals.openRegisteredDeal.body>;
/** Undefined if the deal is open already. */
type Found = { currency: string; owner: Assignee | undefined } | undefined;

export const openRegisteredDeal = (
  peers: Peers,
): Handler<typeof internalRegisteredDeals.openRegisteredDeal, Found> => ({
  async check({ body, caller, tx }) {
    // Without a tenant the tenant guard would throw an internal error.
    if (caller.tenantId === undefined) throw fail('not_found');
    if (await findOpened(tx, body)) return undefined;
    const owner = await checkUser(peers, 'ownerId', body.ownerId, caller);
    return { owner, currency: body.deal.currency ?? (await defaultCurrency(peers, caller)) };
  },
  async run({ body, found, caller, tx, emit }) {
    const { dealRegistrationId, ownerId, partnerId, contact } = body;
    // A request that is repeated while the first one runs must not create another lead.
    await lockNamed(tx, 'registered_deal', [String(dealRegistrationId)]);
    const opened = await findOpened(tx, body);
    if (opened) return opened;
    // Unreachable: `check` found the deal, and it is never removed.
    if (!found) throw fail('not_found');
    const { owner, currency } = found;
    const known = await lockLeadByEmail(tx, contact.email);
    const created = { ...contact, source: 'referral' as const, ...(ownerId !== undefined && { assignedTo: ownerId }) };
    const lead = known ?? (await insertLead({ tx, emit, caller }, created, owner, { mayLackCustomFields: true }));
    const deal = dealOf(body, { currency, leadId: lead.id });
    const opportunity = await openOpportunity(
      { tx, emit, caller, roleId: undefined },
      { ...deal, teamId: teamOfNew(deal, { caller, owner, lead }), partnerId },
      lead,
      { mayLackFields: true },
    );
    if (lead.convertedOpportunityId === null)
      await markConverted({ tx, emit }, lead, { opportunity, at: opportunity.createdAt });
    const [leadId, opportunityId] = [lead.id, opportunity.id];
    await tx.registeredDeal.createMany({ data: [{ dealRegistrationId, leadId, opportunityId }] });
    return { leadId, opportunityId };
  },
});

function dealOf(
  { deal: { value, currency: _, ...deal }, ownerId }: Body,
  { currency, leadId }: { currency: string; leadId: number },
) {
  return { ...deal, leadId, currency, value: value ?? 0, ...(ownerId !== undefined && { ownerId }) };
}

function findOpened(tx: Tx, { dealRegistrationId }: Body): Promise<{ leadId: number; opportunityId: number } | null> {
  return tx.registeredDeal.findFirst({ where: { dealRegistrationId } });
}
